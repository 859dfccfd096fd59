import { AdoptionModule } from '../../recovery/adoption.module.js';
import { DeadStakes } from '../../recovery/expiring/dead-stakes.service.js';
import { StakeOperations } from '../../treasury/stakes/stake-operations.service.js';
import { StakeOperationsModule } from '../../treasury/stakes/stake-operations.module.js';
import type { StakeTerms } from '../../treasury/stakes/stake-orders.sql.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { chainOptions, type NamedChain, namedChain } from '../chain-access.js';
import { type Command, type CommandContext, defineCommand, EXIT, type ExitCode } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { coinAmount, coinText, followOrder, stakingChain, termsOf } from '../stake-orders.js';
import { columns } from '../terminal.js';
import type { StaffOrder } from '../../platform/audit-trail.js';

const needs = { modules: [StakeOperationsModule, TreasuryChainsModule], chains: true };
const HEAD = ['ORDER', 'MADE', 'WHAT', 'STANDING'];

const FOLLOWING =
  'The command prints the steps of the order until it is final. Interrupting it does not stop the order, and the same\n' +
  'command shows an order that is open instead of making another one. An order has one transaction. If no block\n' +
  'includes it, it expires, the stake does not change, and the order ends.';
const options = {
  ...chainOptions,
  reason: reasonOption,
  'no-wait': { type: 'boolean', about: 'Return once it is ordered.' },
} as const;
const amountOption = {
  type: 'string',
  value: 'TRX',
  about: 'The amount in whole coins, such as 1000 or 0.5.',
} as const;

/** `treasury stake`. */
export const treasuryStake = changeCommand('stake', {
  usage: 'treasury stake --network tron --amount TRX [--env ENV] [--no-wait] --reason TEXT',
  example:
    "npx coffer treasury stake --network tron --env live --amount 8200 --reason 'energy for one sweep at a time'",
  details:
    'Stakes TRX of the hot wallet for energy, which sweeps use instead of burning TRX. What the hot wallet owes, and what the\n' +
    'fees of sweeps need, is never staked. Leave some for the fees of payouts. Staked TRX stay in the books of the hot wallet\n' +
    'and come back by treasury unstake after 14 days.\n' +
    FOLLOWING,
});

/** `treasury unstake`. */
export const treasuryUnstake = changeCommand('unstake', {
  usage: 'treasury unstake --network tron --amount TRX [--env ENV] [--no-wait] --reason TEXT',
  example: "npx coffer treasury unstake --network tron --env live --amount 1000 --reason 'TRX are needed for payouts'",
  details:
    'Takes back staked TRX whose energy is not lent. They are due after 14 days: treasury withdraw-stake brings them to the\n' +
    'balance of the hot wallet, and so does the next treasury unstake.\n' +
    FOLLOWING,
});

/** `treasury withdraw-stake`. */
export const treasuryWithdrawStake = defineCommand({
  usage: 'treasury withdraw-stake --network tron [--env ENV] [--no-wait] --reason TEXT',
  example: "npx coffer treasury withdraw-stake --network tron --env live --reason 'the 14 days are over'",
  details: `Brings the TRX that were taken back and are due to the balance of the hot wallet.\n${FOLLOWING}`,
  options,
  run: ({ values }, context) =>
    order(context, namedChain(values), {
      terms: { move: 'withdraw', amount: 0n },
      staff: staffOrder(values.reason),
      waits: values['no-wait'] !== true,
    }),
});

/** `treasury cancel-stake`. */
export const treasuryCancelStake = defineCommand({
  usage: 'treasury cancel-stake <order id> --reason TEXT',
  example: "npx coffer treasury cancel-stake stk_... --reason 'the amount was wrong'",
  details:
    'Ends an order of treasury stake, unstake or withdraw-stake that is not signed yet. A signed order\n' +
    'ends by itself once final blocks prove that it has expired. If no node has the block that the order refers to, nothing can\n' +
    'prove this. Then this command ends the order, but only if all nodes agree that the hot wallet did not send it in a later\n' +
    'block.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const staff = staffOrder(values.reason);
    const modules = [...needs.modules, AdoptionModule];
    return withServices(context, { ...needs, modules }, async ({ database, get }) => {
      const isDead = await get(DeadStakes).end(id, staff);
      if (!isDead) await database.transaction((tx) => get(StakeOperations).cancel(tx, id, staff));
      const why = isDead ? 'What was signed for it has expired without a block.' : 'Nothing was signed for it.';
      context.terminal.line(`CANCELLED: ${id}. ${why}`);
      return EXIT.fine;
    });
  },
});

/** `treasury stakes`. */
export const treasuryStakes = defineCommand({
  usage: 'treasury stakes --network tron [--env ENV]',
  example: 'npx coffer treasury stakes --network tron --env live',
  details: 'Shows what the hot wallet has staked for energy, by the chain, and the newest orders that changed it.',
  options: chainOptions,
  run: ({ values }, context) => {
    const named = namedChain(values);
    return withServices(context, needs, async (services) => {
      const chain = await stakingChain(services, named);
      const { address, state, orders } = await services.get(StakeOperations).overview(chain);
      const { terminal } = context;
      const text = (units: bigint): string => coinText(units, named.network);
      terminal.line(`Hot wallet ${address}:`);
      terminal.line(`  staked and not lent   ${text(state.staked)}`);
      terminal.line(`  lent to sweeps        ${text(state.lent)}`);
      for (const { amount, dueAt } of state.leaving) {
        terminal.line(`  on its way back       ${text(amount)}, due at ${dueAt.toISOString()}`);
      }
      terminal.line(`  due                   ${text(state.due)}`);
      const rows = orders.map((one) => [
        one.id,
        one.createdAt.toISOString(),
        termsOf(one, named.network),
        one.standing,
      ]);
      terminal.line();
      for (const line of columns([HEAD, ...rows])) terminal.line(line);
      return EXIT.fine;
    });
  },
});

/** Defines the command that changes a stake by an amount. */
function changeCommand(
  move: Exclude<StakeTerms['move'], 'withdraw'>,
  help: { readonly usage: string; readonly example: string; readonly details: string },
): Command {
  return defineCommand({
    ...help,
    options: { ...options, amount: amountOption },
    run: ({ values }, context) => {
      const named = namedChain(values);
      const terms = { move, amount: coinAmount(values.amount, named.network) };
      return order(context, named, { terms, staff: staffOrder(values.reason), waits: values['no-wait'] !== true });
    },
  });
}

function order(
  context: CommandContext,
  named: NamedChain,
  { terms, staff, waits }: { readonly terms: StakeTerms; readonly staff: StaffOrder; readonly waits: boolean },
): Promise<ExitCode> {
  return withServices(context, needs, async (services) => {
    const chain = await stakingChain(services, named);
    const operations = services.get(StakeOperations);
    const { order: made, isNew } = await operations.order(chain, terms, staff);
    const { terminal } = context;
    terminal.line(`${isNew ? 'ORDERED' : 'Already ordered'}: ${made.id}, ${termsOf(made, named.network)}.`);
    return waits ? followOrder(operations, made.id, terminal) : EXIT.fine;
  });
}
