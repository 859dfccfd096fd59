import 'reflect-metadata';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import { readConfig } from './platform/config.js';
import { createLogger } from './platform/logging.js';
import { showStartupBanner } from './app/start/startup-banner.js';
import { type RunningService, startService } from './app/start/service.js';

const STOP_WITHIN_MS = 20_000;
/** A stop waits for the end of the start first, which takes longer on a busy machine. */
const START_ENDS_WITHIN_MS = 60_000;

/** Starts the service, prints the startup banner, and stops the service in order on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig();
  const secrets = [
    config.vaultPassphrase,
    config.newVaultPassphrase,
    config.secretsKey,
    config.previousSecretsKey,
    config.coingeckoApiKey,
  ].filter((secret) => secret !== null);
  const logger = createLogger(config.logLevel, { secrets });
  keepDebuggerShut(logger);
  const starting = startService(config, logger);
  const signals = stopOnSignals(starting, logger);
  try {
    await showStartupBanner(config, await starting);
  } catch (error) {
    // A stop that began meanwhile ends the process itself, and may be why the banner failed.
    if (!signals.received) throw error;
  }
}

/** By default Node opens its debugger on this signal, and anyone on the machine could read the memory, keys included. */
function keepDebuggerShut(logger: Logger): void {
  process.on('SIGUSR1', () => logger.warn('SIGUSR1 was received. The debugger stays closed.'));
}

/**
 * Stops the service in order on SIGTERM or SIGINT. During the start it waits for the end of it first: a part that has just
 * begun, such as a development chain, would go on alone.
 */
function stopOnSignals(starting: Promise<RunningService>, logger: Logger): { readonly received: boolean } {
  const signals = { received: false };
  const stop = (): void => {
    if (signals.received) return;
    signals.received = true;
    const waiting = exitAfter(START_ENDS_WITHIN_MS, 'finish its start', logger);
    void starting
      .then((service) => {
        clearTimeout(waiting);
        exitAfter(STOP_WITHIN_MS, 'stop', logger);
        return service.stop();
      })
      .then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return signals;
}

/** Ends the process after this time, unless the timer is cleared. */
function exitAfter(ms: number, act: string, logger: Logger): NodeJS.Timeout {
  return setTimeout(() => {
    logger.fatal(`The service did not ${act} within ${ms / 1000} s. The process exits.`);
    process.exit(1);
  }, ms).unref();
}

/** Prints why the start failed; with a stack trace only for unexpected errors. */
function fail(error: unknown): never {
  const isPlain = error instanceof Error && error.constructor !== TypeError;
  process.stderr.write(`coffer: ${isPlain ? error.message : inspect(error)}\n`);
  process.exit(1);
}

main().catch(fail);
