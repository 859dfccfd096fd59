import { NETWORKS } from '../../domain/network.js';
import { defineCommand, EXIT, oneOf, UsageError } from '../command.js';
import { commandConfig } from '../command-config.js';
import { Cleanup } from './demo-cleanup.js';
import { humanNarrator, jsonNarrator } from './demo-narrator.js';
import { runDemo } from './demo-run.js';
import type { Terminal } from '../terminal.js';

const INTERRUPTED = 130;

/** `demo`. */
export const demo = defineCommand({
  usage: 'demo',
  example: 'npm run demo -- --network bnb --token USDT',
  details:
    'Uses the sandbox that runs on DATA_DIR. If none runs, the demo starts one and stops it at the end. The payment is a\n' +
    'real transfer on the development chain, and the demo verifies the webhook with its own code.',
  options: {
    network: {
      type: 'string',
      value: 'NAME',
      default: 'polygon',
      about: 'ethereum, polygon (default), bnb, solana or tron.',
    },
    token: {
      type: 'string',
      value: 'SYMBOL',
      default: 'USDC',
      about: 'USDC (default), USDT, or the coin of the network: ETH, POL, BNB, SOL, TRX.',
    },
    'amount-cents': { type: 'string', value: 'N', default: '2500', about: 'US cents to collect, 2500 by default.' },
    json: { type: 'boolean', about: 'Print JSON, one step per line.' },
  },
  run: async ({ values }, context) => {
    const amount = values['amount-cents'];
    if (!/^[1-9]\d{0,11}$/.test(amount)) throw new UsageError('--amount-cents must be a whole number above zero.');
    const network = oneOf(NETWORKS, values.network, '--network');
    const plan = { network, token: values.token, amountCents: Number(amount) };
    const config = commandConfig(context);
    const cleanup = new Cleanup();
    const terminal = quietDuring(cleanup, context.terminal);
    const narrator = values.json ? jsonNarrator(terminal) : humanNarrator(terminal);
    const interrupt = (): void => {
      context.terminal.problem('Interrupted: stopping what the demo started.');
      void cleanup.run().then(() => process.exit(INTERRUPTED));
    };
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      await runDemo(plan, config, narrator, cleanup);
      return EXIT.fine;
    } catch {
      // The narrator has printed it, with its step.
      return EXIT.bad;
    } finally {
      await cleanup.run();
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    }
  },
});

/** Prints nothing more once the cleanup runs: it makes the current step fail. */
function quietDuring(cleanup: Cleanup, terminal: Terminal): Terminal {
  return {
    ...terminal,
    line: (text) => (cleanup.hasBegun ? undefined : terminal.line(text)),
    json: (value) => (cleanup.hasBegun ? undefined : terminal.json(value)),
  };
}
