import { parseEvmAddress } from '../../domain/evm-address.js';
import { SweepOperationsModule } from '../../treasury/sweeps/sweep-operations.module.js';
import { SweepOperations } from '../../treasury/sweeps/sweep-operations.service.js';
import { defineCommand, EXIT, UsageError } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { columns } from '../terminal.js';

const needs = { modules: [SweepOperationsModule] };

const LISTED_MAX = 500;
const OPEN_HEAD = ['SWEEP', 'AGE (S)', 'CHAIN', 'REASON', 'ITEMS', 'WAITS FOR'];
const ASIDE_HEAD = ['SET ASIDE', 'TOKEN', 'AMOUNT', 'ADDRESS', 'REASON'];

/** `sweeps list`. */
export const sweepsList = defineCommand({
  usage: 'sweeps list',
  example: 'npx coffer sweeps list',
  details:
    'Lists the sweeps that are not final, oldest first, and the balances on deposit addresses that could not be swept and\n' +
    'were set aside. Exits 1 if there are such balances.',
  options: {},
  run: (_invocation, context) =>
    withServices(context, needs, async ({ get }) => {
      const sweeps = get(SweepOperations);
      const [open, aside] = [await sweeps.open(LISTED_MAX), await sweeps.setAside(LISTED_MAX)];
      const openRows = open.map(({ id, ageSeconds, environment, network, reason, items, standing }) => [
        id,
        String(ageSeconds),
        `${environment}/${network}`,
        reason,
        String(items),
        standing,
      ]);
      const asideRows = aside.map(({ environment, network, token, amount, address, reason }) => [
        `${environment}/${network}`,
        token,
        amount,
        address,
        reason,
      ]);
      const { terminal } = context;
      for (const line of columns([OPEN_HEAD, ...openRows])) terminal.line(line);
      terminal.line();
      for (const line of columns([ASIDE_HEAD, ...asideRows])) terminal.line(line);
      return aside.length > 0 ? EXIT.bad : EXIT.fine;
    }),
});

/** `sweeps retry`. */
export const sweepsRetry = defineCommand({
  usage: 'sweeps retry [--address ADDRESS] --reason TEXT',
  example: "npx coffer sweeps retry --reason 'the issuer has unfrozen the address'",
  details: 'The next sweep tries the balances again that were set aside, up to three times.',
  options: {
    address: { type: 'string', value: 'ADDRESS', about: 'Only balances of this deposit address.' },
    reason: reasonOption,
  },
  run: ({ values }, context) => {
    const order = staffOrder(values.reason);
    const address = values.address === undefined ? null : parseEvmAddress(values.address);
    if (values.address !== undefined && address === null) throw new UsageError('--address is not an address.');
    return withServices(context, needs, async ({ database, get }) => {
      const count = await database.transaction((tx) => get(SweepOperations).retry(tx, address?.lower ?? null, order));
      context.terminal.line(`Balances to be swept again: ${count}.`);
      return EXIT.fine;
    });
  },
});
