import { NATIVE_COIN } from '../../domain/network.js';
import type { SentAction, SentPayment, SentSweepItem } from '../expiring-sent.js';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import type { ReadBytes } from './sent-bytes.js';
import { contradictionInMoves } from './signed-order.js';
import { tokenAccountAtOnce } from './token-account.js';

/** After the instructions of limit and price. */
const MOVES_FROM = 2;
const COIN_TAG = '02000000';
const TRANSFER_TAG = '0c';
const CLOSE_TAG = '09';

/** An instruction that moves funds, with its accounts by their keys. */
interface NamedInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

/** A sweep item with the decimals that its bytes state. */
interface DecodedItem extends SentSweepItem {
  readonly decimals: number;
}

/**
 * Returns what signed bytes do. An order is guessed from them, and then they are compared with that order as an audit does: only
 * exactly what a vault signs for an order counts as one.
 */
export function sentAction(read: ReadBytes): SentAction {
  const { keys, instructions } = read.decoded;
  const moves = instructions.slice(MOVES_FROM).map(({ program, accounts, data }) => {
    return { program: keys[program] ?? '', accounts: accounts.map((index) => keys[index] ?? ''), data };
  });
  const payment = paymentIn(moves);
  if (payment !== null && isExactly(read, { payment, items: null })) return { kind: 'payment', ...payment };
  const items = sweepIn(moves);
  if (items === null || !isExactly(read, { payment: null, items })) return { kind: 'other' };
  return { kind: 'sweep', items: items.map(({ decimals: _decimals, ...item }) => item) };
}

type Payment = Omit<SentPayment, 'kind'>;

interface Guess {
  readonly payment: Payment | null;
  readonly items: readonly DecodedItem[] | null;
}

function isExactly(read: ReadBytes, { payment, items }: Guess): boolean {
  const sweep = items?.map(({ owner, token, account, decimals, amount, opensAccount, closesAccount }) => {
    const accounts = { opens: opensAccount, closes: closesAccount };
    return { deposit: owner, token, account, decimals, amount: String(amount), ...accounts };
  });
  const order = {
    payment: payment === null ? null : { ...payment, amount: String(payment.amount) },
    sweep: sweep === undefined ? null : { items: sweep },
    loss: null,
  };
  return contradictionInMoves(read, order) === null;
}

/** A payment of tokens opens the account of its destination first. */
function paymentIn(moves: readonly NamedInstruction[]): Payment | null {
  const [first, second] = moves;
  if (first === undefined) return null;
  const coins = coinsIn(first);
  if (coins !== null) return { token: NATIVE_COIN, recipient: coins.to, amount: coins.amount };
  const paid = second === undefined ? null : tokensIn(second);
  const [, , recipient] = first.accounts;
  if (first.program !== ASSOCIATED_TOKEN_PROGRAM || paid === null || recipient === undefined) return null;
  return { token: paid.token, recipient, amount: paid.amount };
}

function sweepIn(moves: readonly NamedInstruction[]): readonly DecodedItem[] | null {
  const items: DecodedItem[] = [];
  let opensAccount = false;
  for (const move of moves) {
    const [coins, tokens, last] = [coinsIn(move), tokensIn(move), items.at(-1)];
    if (move.program === ASSOCIATED_TOKEN_PROGRAM) {
      opensAccount = true;
    } else if (coins !== null) {
      const { from: owner, amount } = coins;
      const coin = { token: NATIVE_COIN, account: null, decimals: 0 };
      items.push({ ...coin, owner, amount, opensAccount: false, closesAccount: false });
    } else if (tokens !== null) {
      items.push({ ...tokens, opensAccount, closesAccount: false });
      opensAccount = false;
    } else if (isClose(move) && last !== undefined) {
      items[items.length - 1] = { ...last, closesAccount: true };
    } else {
      return null;
    }
  }
  return items.length === 0 ? null : items;
}

function coinsIn({ program, accounts: [from, to], data }: NamedInstruction) {
  const isTransfer = program === SYSTEM_PROGRAM && data.length === 12 && data.toString('hex').startsWith(COIN_TAG);
  if (!isTransfer || from === undefined || to === undefined) return null;
  return { from, to, amount: data.readBigUInt64LE(4) };
}

function tokensIn({ program, accounts: [source, token, , owner], data }: NamedInstruction) {
  const isTransfer = program === TOKEN_PROGRAM && data.length === 10 && data.toString('hex').startsWith(TRANSFER_TAG);
  if (!isTransfer || source === undefined || token === undefined || owner === undefined) return null;
  const account = source === tokenAccountAtOnce(owner, token) ? null : source;
  return { owner, token, account, amount: data.readBigUInt64LE(1), decimals: data.readUInt8(9) };
}

const isClose = ({ program, data }: NamedInstruction): boolean =>
  program === TOKEN_PROGRAM && data.toString('hex') === CLOSE_TAG;
