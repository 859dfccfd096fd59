import { runCli } from './cli/run-cli.js';
import { outliveReader, terminalOf } from './cli/terminal.js';
import { readConfig } from './platform/config.js';

for (const stream of [process.stdout, process.stderr]) outliveReader(stream);
// Not process.exit: it would lose output that a pipe still buffers.
process.exitCode = await runCli(process.argv.slice(2), {
  terminal: terminalOf(process.stdout, process.stderr),
  readConfig,
});
