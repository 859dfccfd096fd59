import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

// Loaded before a service, lets a test arm a failpoint in it while it runs: SIGUSR2 arms the one that ARM_FILE names.
const { ARM_FILE } = process.env;
const failpoints = new URL('platform/failpoints.js', pathToFileURL(process.argv[1]));

process.on('SIGUSR2', async () => {
  const { armFailpoints } = await import(failpoints);
  const name = readFileSync(ARM_FILE, 'utf8');
  // Before it is armed: it may be passed at once, and nothing is said after that.
  process.stdout.write(`armed ${name}\n`, () => armFailpoints([name]));
});
