import type { AccountTransaction, FoundTransaction } from '../../../chains/accounts.js';
import type { Database } from '../../../platform/database/database.js';
import type { RowOf } from '../../../platform/sql/sql.js';
import type { Finding } from '../../check.js';
import { depositsOf, nextAccountDeposits, ownAccounts } from './account-deposits.sql.js';
import type { AuditedAccountChain } from './audited-account-chain.js';

const DEPOSITS_AT_ONCE = 50;

type DepositRow = RowOf<typeof nextAccountDeposits>;

/**
 * Returns the first final deposit that its transaction does not make, or the first transfer to us in such a transaction that
 * is not a deposit. A transaction that the node cannot show any more is not compared.
 */
export async function findAccountDepositBreach(
  database: Database,
  chain: AuditedAccountChain,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  const { chainRef, client, tokens } = chain;
  for (let above = '', unknown = 0; ;) {
    const page = await database.rows(nextAccountDeposits({ chainRef, above, limit: DEPOSITS_AT_ONCE }));
    const hashes = [...new Set(page.map(({ txHash }) => txHash))];
    const found = hashes.length === 0 ? [] : await client.transactionsOf(hashes, tokens);
    const transactions = new Map(hashes.map((hash, place) => [hash, found[place] ?? 'absent']));
    for (const deposit of page) {
      const transaction = transactions.get(deposit.txHash) ?? 'absent';
      if (typeof transaction === 'string') unknown += 1;
      else if (!isMadeBy(deposit, transaction)) {
        return { row: `deposit ${deposit.id}`, says: `moves ${deposit.amount}, and its transaction does not` };
      }
    }
    const missed = await missedTransfer(database, chainRef, transactions);
    if (missed !== null) return missed;
    above = page.at(-1)?.id ?? above;
    if (page.length === DEPOSITS_AT_ONCE) continue;
    if (unknown > 0) unasked(`The node does not show the transactions of ${unknown} deposits.`);
    return null;
  }
}

const isMadeBy = (
  { account, owner, position, tokenContract, amount, blockHeight }: DepositRow,
  { height, transfers }: AccountTransaction,
): boolean =>
  height === Number(blockHeight) &&
  transfers.some(
    (transfer) =>
      transfer.account === account &&
      (transfer.owner ?? owner) === owner &&
      transfer.position === position &&
      transfer.token === tokenContract &&
      transfer.amount === BigInt(amount),
  );

async function missedTransfer(
  database: Database,
  chainRef: string,
  transactions: ReadonlyMap<string, FoundTransaction>,
): Promise<Finding | null> {
  const transfers = [...transactions].flatMap(([txHash, found]) =>
    typeof found === 'string' ? [] : found.transfers.map((transfer) => ({ ...transfer, txHash })),
  );
  const accounts = transfers.map(({ account }) => account);
  const own = await database.rows(ownAccounts(chainRef, accounts));
  // A credited account may belong to others before and after it is ours.
  const ours = new Set(
    own.map(({ account, token, owner, isCredited }) => [account, token, ...(isCredited ? [owner] : [])].join()),
  );
  const stored = new Set(
    (await database.rows(depositsOf(chainRef, [...transactions.keys()]))).map((each) =>
      [each.txHash, each.position, each.tokenContract].join(),
    ),
  );
  const missed = transfers.find(({ account, owner, token, txHash, position }) => {
    const isOurs = ours.has([account, token].join()) || ours.has([account, token, owner].join());
    return isOurs && !stored.has([txHash, position, token].join());
  });
  if (missed === undefined) return null;
  const { txHash, position, amount, token, account } = missed;
  return {
    row: `transfer ${txHash}/${position}`,
    says: `moved ${amount} of ${token} to ${account} and is not recorded as a deposit`,
  };
}
