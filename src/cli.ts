import { runCli } from './cli/run-cli.js';
import { terminalOf } from './cli/terminal.js';
import { readConfig } from './platform/config.js';

// Not process.exit: what was written to a pipe would be lost.
process.exitCode = await runCli(process.argv.slice(2), {
  terminal: terminalOf(process.stdout, process.stderr),
  readConfig,
});
