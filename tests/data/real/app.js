'use strict';
const fs = require('fs');
const zlib = require('zlib');
const { performance } = require('perf_hooks');

async function step(n) {
  performance.mark(`start ${n}`);
  const text = await fs.promises.readFile('app.js');
  const packed = await new Promise((done, fail) => zlib.gzip(text, (error, data) => (error ? fail(error) : done(data))));
  await new Promise((done) => setTimeout(done, 2));
  performance.mark(`end ${n}`);
  performance.measure(`step ${n}`, `start ${n}`, `end ${n}`);
  return packed.length;
}

(async () => {
  let bytes = 0;
  for (let n = 0; n < 3; n++) bytes += (await Promise.all([step(n), step(n + 100)])).reduce((a, b) => a + b);
  console.log(bytes);
})();
