import { z } from 'zod';
import { ApiClient } from '../api-client.js';
import { CommandFailure, defineCommand, EXIT } from '../command.js';
import { commandConfig } from '../command-config.js';
import { readSandbox } from '../sandbox-file.js';

const order = z.object({ amount_decimal: z.string(), token: z.string(), network: z.string(), to: z.string() });

/** `pay`. */
export const pay = defineCommand({
  usage: 'pay <intent id>',
  example: 'npx coffer pay pi_01k5n6yq2m8r4t0v3w5x7z9abc --amount 12.5',
  details: 'The running sandbox sends tokens on its development chain. The intent must have an address.',
  options: {
    amount: { type: 'string', value: 'DECIMAL', about: 'In tokens, such as 12.5; by default the amount that remains.' },
    token: {
      type: 'string',
      value: 'SYMBOL',
      about: "By default the intent's token; use another one to see how the service handles it.",
    },
  },
  positionals: { count: 1 },
  run: async ({ values, positionals: [id = ''] }, context) => {
    const sandbox = await readSandbox(commandConfig(context).dataDir);
    if (sandbox === null) throw new CommandFailure('No sandbox has started on this DATA_DIR.', 'run npm start');
    const api = new ApiClient(sandbox.api_url, sandbox.api_key);
    const path = `/v1/sandbox/payment-intents/${encodeURIComponent(id)}/pay`;
    const { amount, token } = values;
    const body = { ...(amount !== undefined && { amount }), ...(token !== undefined && { token }) };
    const paid = await api.post(path, order, body);
    context.terminal.line(`Paying ${paid.amount_decimal} ${paid.token} on ${paid.network} to ${paid.to}.`);
    return EXIT.fine;
  },
});
