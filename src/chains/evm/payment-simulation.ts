import { NATIVE_COIN } from '../../domain/network.js';
import { transferCall } from './transfer-call.js';
import type { JsonRpc, RpcCall, RpcOutcome } from '../rpc/json-rpc.js';
import type { AtBlock, SimulatedOutcome, SimulatedPayment } from '../outgoing.js';
import { balanceOfData, blackListData, wordOf } from './token-calls.js';

/** Enough gas for every destination that accepts payments. */
const AMPLE_GAS = 1_000_000n;
const NOTHING_RETURNED = '0x';
/** The first word of returned data. */
const FIRST_WORD = /^0x[0-9a-f]{64}/i;

/**
 * Simulates payments on the state of one block (`eth_call` by hash). Nodes word a failed execution, a missing block and a
 * sender without funds in many ways, so no error message is read. A payment that fails is executed again: as it is, and
 * without gas price with its own gas and with ample gas. Control calls succeed if the node executes calls at this block and
 * the sender has the amount. When these fail too, the payment's failure says nothing about its destination. Returns null
 * when the node executes nothing at this block.
 */
export async function simulatePayments(
  rpc: Pick<JsonRpc, 'outcomes'>,
  block: AtBlock,
  payments: readonly SimulatedPayment[],
): Promise<readonly (SimulatedOutcome | null)[] | null> {
  const first = await rpc.outcomes(payments.map((payment) => paymentCall(block, payment)));
  const failed = payments.filter((payment, place) => !isPaid(payment, first[place]));
  const [unpaid] = failed;
  if (unpaid === undefined) return payments.map(() => 'accepts');
  const repeated = failed.map((payment) => callsForFailed(block, payment));
  const [control, ...answers] = await rpc.outcomes([callToSelf(block, unpaid), ...repeated.flat()]);
  const outcomes = new Map<SimulatedPayment, SimulatedOutcome | null>();
  let read = 0;
  for (const [place, payment] of failed.entries()) {
    const end = read + (repeated[place]?.length ?? 0);
    outcomes.set(payment, outcomeOf(payment, answers.slice(read, end)));
    read = end;
  }
  const known = payments.map((payment) => (outcomes.has(payment) ? (outcomes.get(payment) ?? null) : 'accepts'));
  return returned(control) === null && known.every((outcome) => outcome === null) ? null : known;
}

/** The sender calls itself without a gas price, which succeeds if the node executes calls at this block. */
const callToSelf = (block: AtBlock, { sender }: SimulatedPayment): RpcCall =>
  ethCall(block, { from: sender, to: sender });

/**
 * Returns the calls for a payment that failed: the same again; without gas price with its own gas and with ample gas (which
 * the sender may not be able to pay); and control calls: the sender pays itself the coins at the same gas price, and the
 * token's balance and black list of the sender.
 */
function callsForFailed(block: AtBlock, payment: SimulatedPayment): readonly RpcCall[] {
  const { sender, token } = payment;
  const isCoin = token === NATIVE_COIN;
  const toSelf = { ...payment, token: NATIVE_COIN, recipient: sender, amount: isCoin ? payment.amount : 0n };
  const tokenData = isCoin ? [] : [balanceOfData(sender), ...blackListData(sender)];
  return [
    paymentCall(block, payment),
    ethCall(block, { ...payerCall(payment), gas: quantity(payment.gasLimit) }),
    ethCall(block, { ...payerCall(payment), gas: quantity(AMPLE_GAS) }),
    paymentCall(block, toSelf),
    ...tokenData.map((data) => ethCall(block, { to: token, data })),
  ];
}

function outcomeOf(payment: SimulatedPayment, answers: readonly RpcOutcome[]): SimulatedOutcome | null {
  const [again, free, ample, toSelf, holds, ...frozen] = answers;
  if (isPaid(payment, again)) return 'accepts';
  const hasTokens = payment.token === NATIVE_COIN || (wordOf(returned(holds)) ?? 0n) >= payment.amount;
  if (returned(toSelf) === null || !hasTokens || frozen.some((answer) => wordOf(returned(answer)) === 1n)) return null;
  // More gas would not help when the payment succeeds without a gas price: the destination refuses the gas price.
  return isPaid(payment, ample) && !isPaid(payment, free) ? 'needs_gas' : 'rejects';
}

/** A token refuses by a revert, or by returning anything but true; returning no data means success. */
function isPaid({ token }: SimulatedPayment, answer: RpcOutcome | undefined): boolean {
  const data = returned(answer);
  if (data === null) return false;
  if (token === NATIVE_COIN || data === NOTHING_RETURNED) return true;
  return wordOf(FIRST_WORD.exec(data)?.[0]) === 1n;
}

/** Returns the data that a call returned; null when it failed. */
function returned(answer: RpcOutcome | undefined): string | null {
  return answer !== undefined && 'result' in answer && typeof answer.result === 'string' ? answer.result : null;
}

/** The call of the payment with the gas and the fees of its transaction. */
function paymentCall(block: AtBlock, payment: SimulatedPayment): RpcCall {
  const { maxFeePerGas, maxPriorityFeePerGas } = payment.fees;
  return ethCall(block, {
    ...payerCall(payment),
    gas: quantity(payment.gasLimit),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
  });
}

function payerCall(payment: SimulatedPayment): Readonly<Record<string, string>> {
  const { to, value, data } = transferCall(payment);
  return { from: payment.sender, to, value: quantity(value), data };
}

const ethCall = (block: AtBlock, call: Readonly<Record<string, string>>): RpcCall => ({
  method: 'eth_call',
  params: [call, { blockHash: block.hash }],
});

const quantity = (value: bigint): string => `0x${value.toString(16)}`;
