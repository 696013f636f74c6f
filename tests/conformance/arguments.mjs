// SPDX-License-Identifier: Apache-2.0
// The command line of the scripts that go through files one by one: TRACEBRIDGE [--show N] [--through-fxt] FILE...

export function parseArguments(script) {
  const words = process.argv.slice(2);
  const options = { show: 3, throughFxt: false, files: [] };
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--show") options.show = Number(words[++i]);
    else if (words[i] === "--through-fxt") options.throughFxt = true;
    else options.files.push(words[i]);
  }
  options.program = options.files.shift();
  if (options.program && options.files.length) return options;
  console.error(`usage: ${script} TRACEBRIDGE [--show N] FILE...`);
  process.exit(2);
}
