import { DomainError } from '../../domain/errors.js';
import { AdoptionModule } from '../../recovery/adoption.module.js';
import { RestoreModule } from '../../recovery/restore.module.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { RefundReader } from '../../suspense/refunds/refund-reader.service.js';
import { NoOrderFits } from '../../treasury/transactions/no-order-fits.js';
import { type NonceProgress, UnrecordedTransactions } from '../../recovery/unrecorded-transactions.service.js';
import { type Adopted, Adoption } from '../../recovery/adoption.service.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { WithdrawalOperationsModule } from '../../withdrawals/withdrawal-operations.module.js';
import { WithdrawalOperations } from '../../withdrawals/withdrawal-operations.service.js';
import { chainOptions, namedChain, reachableChain } from '../chain-access.js';
import { CommandFailure, defineCommand, EXIT, UsageError } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { columns } from '../terminal.js';

const LISTED_MAX = 500;
const HASH = /^0x[0-9a-f]{64}$/i;
const HEAD = ['NONCE', 'ON THE CHAIN', 'HERE'];
const WAITING_HEAD = ['MAY BE', 'ORDERED', 'AMOUNT', 'TO'];
const PROGRESS: Readonly<Record<NonceProgress, string>> = {
  final: 'final',
  mined: 'mined, not final yet',
  waiting: 'in the pool of the node asked',
};

/** `treasury unknown`. */
export const treasuryUnknown = defineCommand({
  usage: 'treasury unknown --network NAME [--env ENV]',
  example: 'npx coffer treasury unknown --network polygon --env live',
  details:
    'Nonces of the hot wallet that the chain counts, and what used them is not in the database: after a restore of an older\n' +
    'state. A node cannot find a transaction by its sender: look their hashes up in a block explorer, and have each taken\n' +
    'into the books, in this order, by treasury adopt. Exits 1 when there are any.',
  options: chainOptions,
  run: ({ values }, context) => {
    const named = namedChain(values);
    const { terminal } = context;
    const modules = [RefundOperationsModule, RestoreModule, TreasuryChainsModule, WithdrawalOperationsModule];
    return withServices(context, { modules, chains: true }, async ({ get }) => {
      const chain = await reachableChain(get(TreasuryChains), named);
      const view = await get(UnrecordedTransactions).of(chain);
      if (view === null) throw new DomainError('not_found', 'The vault has made no hot wallet on this chain yet.');
      const { address, nextNonce, nonces } = view;
      terminal.line(`Hot wallet ${address}: the next nonce here is ${nextNonce}.`);
      if (nonces.length === 0) {
        terminal.line('The chain counts no transaction of it that is not known here.');
        return EXIT.fine;
      }
      const rows = nonces.map(({ nonce, progress, known }) => [
        String(nonce),
        PROGRESS[progress],
        known === null ? 'unknown' : `another version of ${known.id}, for ${known.purposeId}`,
      ]);
      for (const line of columns([HEAD, ...rows])) terminal.line(line);
      const unsigned = await get(WithdrawalOperations).unsignedOn(chain.chainRef, LISTED_MAX);
      const returns = await get(RefundReader).unsignedOn(chain.chainRef, LISTED_MAX);
      const waiting = [
        ...unsigned.map(({ id, orderedAt, amount, destination }) => [id, orderedAt, amount, destination]),
        ...returns.map((one) => [one.id, one.orderedAt, `${one.amount} ${one.token}`, one.destination]),
      ];
      terminal.line();
      for (const line of columns([WAITING_HEAD, ...waiting])) terminal.line(line);
      terminal.line('Or a sweep to the hot wallet, or the deployment of its contracts.');
      return EXIT.bad;
    });
  },
});

/** `treasury adopt`. */
export const treasuryAdopt = defineCommand({
  usage: 'treasury adopt <transaction hash>... --network NAME [--env ENV] [--withdrawal ID|--return ID] --reason TEXT',
  example: "npx coffer treasury adopt 0x5f0c... --network polygon --env live --reason 'restored to 03:00'",
  details:
    'Takes one transaction of the hot wallet into the books, which was signed before an older state of the database was\n' +
    'restored. What it was for follows from its bytes: the payment of a withdrawal or return that waits for exactly that,\n' +
    'a sweep, or the deployment of a sweep contract. Anything else is refused, unless it is final and taken in as a loss: what it\n' +
    'took is ours to claim then. It ends like every other, once it is final. Several are taken in together, or none: where\n' +
    "each paid what another's nonce was given to here.",
  options: {
    ...chainOptions,
    withdrawal: { type: 'string', value: 'ID', about: 'Which withdrawal it paid, where that is in doubt, wd_...' },
    return: { type: 'string', value: 'ID', about: 'Which return it paid, where that is in doubt, ret_...' },
    'as-loss': { type: 'boolean', about: 'Where no order fits, take it in as a loss.' },
    supersede: {
      type: 'boolean',
      about: 'End what was signed here with its nonce, and freeze the wallet; its order waits to be paid again.',
    },
    reason: reasonOption,
  },
  positionals: { count: 1, orMore: true },
  run: ({ values, positionals: hashes }, context) => {
    if (!hashes.every((hash) => HASH.test(hash))) throw new UsageError('A hash must be 0x and 64 hexadecimal digits.');
    const named = namedChain(values);
    const staff = staffOrder(values.reason);
    if (values.withdrawal !== undefined && values.return !== undefined)
      throw new UsageError('Name a withdrawal or a return: it paid one of them.');
    const orderId = values.withdrawal ?? values.return ?? null;
    if (orderId !== null && hashes.length > 1)
      throw new UsageError('One order is paid by one transaction: name one hash.');
    const modules = [AdoptionModule, TreasuryChainsModule];
    return withServices(context, { modules, chains: true }, async ({ get }) => {
      const chain = await reachableChain(get(TreasuryChains), named);
      const order = {
        ...staff,
        txHashes: [...new Set(hashes.map((hash) => hash.toLowerCase()))],
        orderId,
        asLoss: values['as-loss'] === true,
        supersede: values.supersede === true,
      };
      const adopted = await get(Adoption)
        .adopt(chain, order)
        .catch((error: unknown) => Promise.reject(withWayOut(error)));
      for (const one of adopted) context.terminal.line(toldOf(one));
      return EXIT.fine;
    });
  },
});

/** What nobody ordered here is refused, and staff have to know how to go on. */
function withWayOut(error: unknown): unknown {
  if (!(error instanceof NoOrderFits)) return error;
  const advice =
    'have the very same ordered again and name it by --withdrawal or --return, or take it in as a loss by --as-loss; ' +
    'docs/operations.md, "Withdrawals after a restore", tells when';
  return new CommandFailure(error.message, advice, { cause: error });
}

const WORDS: Readonly<Record<Adopted['purpose'], string>> = {
  withdrawal: 'withdrawal',
  sweep: 'sweep',
  contract: 'contract',
  deposit_return: 'return',
  loss: 'loss',
};

function toldOf({ isNew, nonce, transactionId, purpose, purposeId }: Adopted): string {
  const what = `nonce ${nonce}, ${transactionId}, for ${WORDS[purpose]} ${purposeId}`;
  return isNew
    ? `ADOPTED: ${what}. It ends here once it is final on the chain.`
    : `Nothing to do: this transaction is in the books already (${what}).`;
}
