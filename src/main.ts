import 'reflect-metadata';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import { readConfig } from './platform/config.js';
import { createLogger } from './platform/logging.js';
import { showStartupBanner } from './app/start/startup-banner.js';
import { type RunningService, startService } from './app/start/service.js';

const STOP_WITHIN_MS = 20_000;

/** The process's entry point: starts the service, says so, and stops it in order on SIGTERM or SIGINT. */
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
  const startedAt = performance.now();
  const service = await startService(config, logger);
  stopOnSignals(service, logger);
  await showStartupBanner(config, service, startedAt);
}

/** On this signal Node opens its debugger to the whole machine: who connects to it reads what the process knows, keys too. */
function keepDebuggerShut(logger: Logger): void {
  process.on('SIGUSR1', () => logger.warn('SIGUSR1 was received: no debugger is opened here.'));
}

function stopOnSignals(service: RunningService, logger: Logger): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      logger.fatal(`The stop took longer than ${STOP_WITHIN_MS / 1000} s and is forced.`);
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    void service.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** A start that failed is told in plain words; a stack trace only where the failure is not one we know. */
function fail(error: unknown): never {
  const isPlain = error instanceof Error && error.constructor !== TypeError;
  process.stderr.write(`coffer: ${isPlain ? error.message : inspect(error)}\n`);
  process.exit(1);
}

main().catch(fail);
