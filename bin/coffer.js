#!/usr/bin/env node
// Plain JavaScript without a build, so that it can say what is missing on any Node that knows modules.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
const cli = join(root, 'dist', 'src', 'cli.js');
const ownNode = join(root, 'node_modules', '.bin', 'node');

if (!existsSync(cli)) {
  stop(`coffer: it is not built yet. Run this in ${root}:\n  npm install && npm run build`);
} else if (isNodeNewEnough()) {
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(cli).href);
} else if (existsSync(ownNode) && realpathSync(ownNode) !== realpathSync(process.execPath)) {
  runOn(ownNode);
} else {
  stop(`coffer: Node ${process.version} is too old. Run npm install in ${root}: it brings a newer one.`);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** Compares with `engines.node` of package.json, which reads `>=major.minor`. */
function isNodeNewEnough() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [major, minor = 0] = engines.node.replace('>=', '').split('.').map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  return ourMajor > major || (ourMajor === major && ourMinor >= minor);
}

/** Runs the command again on the Node that npm installed, and ends as it ends. */
function runOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl+C reaches the child by itself; what is sent to this process alone is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => stop(`coffer: ${node} does not run: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
    process.removeAllListeners('SIGTERM');
  });
}
