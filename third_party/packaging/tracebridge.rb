# `brew install --build-from-source ./tracebridge.rb` with the archive of the tree, `git archive HEAD`, named by
# HOMEBREW_TRACEBRIDGE_ARCHIVE.
class Tracebridge < Formula
  desc "Chrome JSON, Perfetto and FXT traces: convert, merge, read"
  url "file://#{ENV.fetch("HOMEBREW_TRACEBRIDGE_ARCHIVE")}"
  version "0.1.0"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "protobuf" => :build
  depends_on "nanopb" => :build
  depends_on "xxhash" => :build
  depends_on "clp"
  depends_on "isa-l"
  depends_on "libarchive"
  depends_on "libmicrohttpd"
  depends_on "libsodium"
  depends_on :linux
  depends_on "protobuf-c"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DBUILD_TESTING=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"t.json").write('[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]')
    system bin/"tracebridge", "convert", "t.json", "-o", "t.pftrace"
    assert_match "perfetto", shell_output("#{bin}/tracebridge info t.pftrace")
  end
end
