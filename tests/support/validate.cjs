// Reads paths of glTF files from standard input, one a line, and answers each with a line of JSON:
// what Khronos' validator says.  The first argument is the folder of the package gltf-validator.
"use strict";
const fs = require("fs");
const path = require("path");
const validator = require(process.argv[2]);

async function check(file) {
  try {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      uri: path.basename(file),
      maxIssues: 0,
      externalResourceFunction: async (uri) =>
        new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
    });
    return report.issues;
  } catch (problem) {
    return { numErrors: 1, messages: [{ code: "FAILED", severity: 0, message: String(problem) }] };
  }
}

(async () => {
  const lines = require("readline").createInterface({ input: process.stdin });
  for await (const line of lines) process.stdout.write(JSON.stringify(await check(line)) + "\n");
})();
