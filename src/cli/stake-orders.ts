import { coinOf } from '../chains/networks.js';
import { formatUnits, parseUnits } from '../domain/money.js';
import type { Network } from '../domain/network.js';
import type { StakeOperations } from '../treasury/stakes/stake-operations.service.js';
import type { StakeOrderView } from '../treasury/stakes/stake-view.js';
import { type ExpiringChain, TreasuryChains } from '../treasury/treasury-chains.service.js';
import { type NamedChain, reachableChain } from './chain-access.js';
import { CommandFailure, EXIT, type ExitCode, required, UsageError } from './command.js';
import type { CommandServices } from './command-services.js';
import { poll } from './poll.js';
import type { Terminal } from './terminal.js';

/** A command does not wait longer: the order goes on without it. */
const WAIT_MS = 300_000;
const EVERY_MS = 500;

/** Reads an amount in whole coins. @throws UsageError */
export function coinAmount(text: string | undefined, network: Network): bigint {
  const { decimals, symbol } = coinOf(network);
  const units = parseUnits(required(text, '--amount'), decimals);
  if (units === null || units === 0n) throw new UsageError(`--amount must be an amount of ${symbol}, such as 1000.`);
  return units;
}

/** Returns the named chain, on which coins can be staked. @throws CommandFailure */
export async function stakingChain({ get }: CommandServices, named: NamedChain): Promise<ExpiringChain> {
  const chain = await reachableChain(get(TreasuryChains), named);
  if (!('expiring' in chain) || chain.expiring.stakes === null) {
    throw new CommandFailure(`Nothing can be staked on ${named.network}.`);
  }
  return chain.expiring;
}

/** Describes an order, such as `unstake 1000 TRX`. */
export function termsOf({ move, amount }: Pick<StakeOrderView, 'move' | 'amount'>, network: Network): string {
  return move === 'withdraw' ? 'withdraw what is due' : `${move} ${coinText(amount, network)}`;
}

/** An amount with the symbol of its coin. */
export function coinText(units: bigint, network: Network): string {
  const { decimals, symbol } = coinOf(network);
  return `${formatUnits(units, decimals)} ${symbol}`;
}

/** Prints every step of an order until it has ended. Interrupting that does not stop the order. */
export async function followOrder(operations: StakeOperations, id: string, terminal: Terminal): Promise<ExitCode> {
  let shown = '';
  const step = async (): Promise<boolean | null> => {
    const { standing, succeeded } = await operations.find(id);
    if (standing !== shown) terminal.line(`  ${standing}`);
    shown = standing;
    return succeeded;
  };
  const ended = await poll(step, { everyMs: EVERY_MS, withinMs: WAIT_MS });
  if (ended === null) terminal.line('  The order is still open. Follow it with npx coffer treasury stakes.');
  return ended === true ? EXIT.fine : EXIT.bad;
}
