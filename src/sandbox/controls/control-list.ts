import { type IntentStatus, isTerminal } from '../../domain/intent-state.js';

/** What staff and developers can make happen to an intent of the sandbox. */
export const SANDBOX_CONTROLS = ['exact', 'under', 'over', 'late', 'custom', 'expire', 'reorg', 'mine'] as const;
export type SandboxControlName = (typeof SANDBOX_CONTROLS)[number];

/** Payments whose amount follows from the intent. */
export type PlannedPayment = Extract<SandboxControlName, 'exact' | 'under' | 'over' | 'late'>;

/** One of them at this moment. */
export interface SandboxControl {
  readonly name: SandboxControlName;
  /** What it pays, in smallest units of the intent's token; null where it pays nothing, or not a planned amount. */
  readonly amount: bigint | null;
  /** Why it cannot be done now, as a sentence; null where it can. */
  readonly unavailable: string | null;
}

/** The facts that decide which controls there are. Amounts are in smallest units of the intent's token. */
export interface ControlFacts {
  readonly status: IntentStatus;
  readonly hasAddress: boolean;
  readonly isPastDeadline: boolean;
  /** What the intent asks for; null before it has an address. */
  readonly price: bigint | null;
  /** What has arrived, and what is ordered and on its way. */
  readonly arrived: bigint;
  readonly onTheWay: bigint;
  readonly isPaymentOnTheWay: boolean;
  readonly hasUnfinalPayment: boolean;
  /** Why nothing can be paid on its chain; null where it is a development chain. */
  readonly noFaucet: string | null;
  /** Why this process cannot make or drop blocks of the chain. */
  readonly noChain: string | null;
}

const PAID = 'The intent is already paid in full, or a payment for the rest is on its way.';

/** Returns every control as it is now. */
export function controlsOf(facts: ControlFacts): readonly SandboxControl[] {
  const { price, arrived, onTheWay, noFaucet, hasAddress } = facts;
  const missing = (price ?? 0n) - arrived - onTheWay;
  const left = missing > 0n ? missing : 0n;
  const noAddress = hasAddress ? null : 'The payment intent has no address yet. Generate one with the API first.';
  const closed = noFaucet ?? noAddress ?? endedReason(facts);
  const nothingLeft = left > 0n ? null : PAID;
  const pay = (name: PlannedPayment, amount: bigint, unavailable: string | null): SandboxControl => ({
    name,
    amount: hasAddress && amount > 0n ? amount : null,
    unavailable,
  });
  const act = (name: SandboxControlName, unavailable: string | null): SandboxControl => ({
    name,
    amount: null,
    unavailable,
  });
  return [
    pay('exact', left, closed ?? nothingLeft),
    pay('under', left / 2n, closed ?? (left > 1n ? null : PAID)),
    pay('over', left + half(price), closed),
    pay('late', left > 0n ? left : (price ?? 0n), noFaucet ?? noAddress ?? onItsWay(facts)),
    act('custom', noFaucet ?? noAddress),
    act('expire', expiryRefusal(facts)),
    act(
      'reorg',
      noFaucet ??
        facts.noChain ??
        (isDroppable(facts) ? null : 'A reorg can only drop a payment that is not final, and there is none.'),
    ),
    act('mine', noFaucet ?? facts.noChain),
  ];
}

/** Rounded up: too much is at least one unit more. */
const half = (price: bigint | null): bigint => ((price ?? 0n) + 1n) / 2n;

const isDroppable = ({ hasUnfinalPayment, isPaymentOnTheWay }: ControlFacts): boolean =>
  hasUnfinalPayment || isPaymentOnTheWay;

function endedReason({ status, isPastDeadline }: ControlFacts): string | null {
  if (isTerminal(status)) return `The payment intent is ${status}, so a payment would be late.`;
  return isPastDeadline ? 'The deadline has passed, so a payment would be late.' : null;
}

/** A late payment expires the intent first, and a payment that is on its way may still be in time. */
const onItsWay = ({ isPaymentOnTheWay }: ControlFacts): string | null =>
  isPaymentOnTheWay ? 'A payment is on its way. Wait until it arrives.' : null;

function expiryRefusal({ status, isPastDeadline }: ControlFacts): string | null {
  if (isTerminal(status)) return `The payment intent is ${status}.`;
  return isPastDeadline ? 'The deadline has passed already.' : null;
}
