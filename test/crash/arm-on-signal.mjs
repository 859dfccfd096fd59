import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/** Arms a failpoint in a service that runs: SIGUSR2 arms the one that ARM_FILE names. */
async function listen() {
  const { armFailpoints } = await import(new URL('failpoints.js', pathToFileURL(process.argv[1])).href);
  process.on('SIGUSR2', () => {
    const name = readFileSync(process.env.ARM_FILE).toString();
    // It may be passed at once, and nothing is said after that.
    process.stdout.write(`armed ${name}\n`, () => armFailpoints([name]));
  });
}

// It is loaded into the vault's thread too, which has no failpoints.
if (isMainThread) await listen();
