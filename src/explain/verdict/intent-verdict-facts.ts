import type { OtherAccountObstacle } from '../../domain/account-obstacle.js';
import type { DeliveryStatus } from '../../domain/delivery-status.js';
import type { IntentFailure, IntentStatus, PaymentState } from '../../domain/intent-state.js';
import type { Network } from '../../domain/network.js';

/** One transfer to the intent's address. Amounts in smallest units. */
export interface TransferFact {
  /** `dep_...`. */
  readonly id: string;
  /** Null when a chain's own coin arrived inside of a contract. */
  readonly txHash: string | null;
  readonly from: string | null;
  readonly network: Network;
  /** Symbol; the contract if there is no symbol. */
  readonly token: string;
  readonly decimals: number;
  readonly amount: bigint;
  readonly status: PaymentState;
  readonly blockHeight: number;
  readonly blockTime: Date;
  readonly seenAt: Date;
  /** Blocks on top, and how many of them usually make it final. */
  readonly confirmations: number;
  readonly requiredConfirmations: number;
}

/** A transfer in the intent's own token on its own chain. */
export interface PaymentFact extends TransferFact {
  /** Did not count for the intent: after the deadline, or after the intent had ended. */
  readonly late: boolean;
  /** Was on hold, and staff released it to the pocket. */
  readonly released: boolean;
}

/** A transfer to the address in another token or on another network. It counts for no intent. */
export interface UnattributedFact extends TransferFact {
  readonly reason: 'other_token' | 'other_network';
  /** In fiat minor units by the newest price; null when there is none. */
  readonly valueCents: bigint | null;
}

/** Funds in an account of the address that cannot be credited. */
export interface ElsewhereFact {
  readonly account: string;
  /** Symbol; the contract if there is no symbol. */
  readonly token: string;
  readonly decimals: number;
  /** Smallest units. */
  readonly amount: bigint;
  readonly obstacle: OtherAccountObstacle;
}

/** The quote, locked with the address. */
export interface QuoteFact {
  readonly address: string;
  readonly decimals: number;
  /** Smallest units asked for. */
  readonly cryptoAmount: bigint;
  readonly toleranceBps: number;
}

/** The relevant fields of the intent's row. Fiat in minor units. */
export interface IntentFact {
  readonly status: IntentStatus;
  /** Null unless it failed. */
  readonly failure: IntentFailure | null;
  readonly network: Network;
  readonly token: string;
  readonly currency: string;
  readonly amountCents: number;
  readonly overpaidCents: number;
  readonly acceptedShortfallCents: number;
  /** The sum that counted, in smallest units; frozen with the terminal status. */
  readonly receivedUnits: bigint;
  readonly expiresAt: Date;
  readonly completedAt: Date | null;
  /** Null before the address. */
  readonly quote: QuoteFact | null;
  /** The pocket that its payments are credited to; null where none is open yet. */
  readonly pocketId: string | null;
}

/** The intent's chain, as far as it has been read. */
export interface ChainFact {
  readonly height: number;
  readonly headHeight: number;
  /** Since the listener was last in sync with the head. */
  readonly lagMs: number;
  /** The lag is long enough to miss what was just paid. */
  readonly isBehind: boolean;
  /** Payments are seen, and none becomes final: the chain has stalled, or its nodes disagree. */
  readonly isFinalityHeldUp: boolean;
  /** Reading is halted until an operator has checked the chain. */
  readonly isHalted: boolean;
  /** Since when staff keep it from being read; null while they do not. */
  readonly pausedAt: Date | null;
  /** The intent's token is on offer on it. */
  readonly offersToken: boolean;
  /** Average of the last blocks; null when there are too few. */
  readonly secondsPerBlock: number | null;
}

/** The requirements of an address, read while the intent has none. */
export interface SupplyFact {
  readonly isPriced: boolean;
  readonly hasFreeAddress: boolean;
}

/** An event of the intent. */
export interface EventFact {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  /** The relay has numbered it and created its deliveries. */
  readonly isRelayed: boolean;
}

/** An endpoint of the merchant. The URL is without user info, query and fragment, which may hold secrets. */
export interface EndpointFact {
  readonly id: string;
  readonly url: string;
  readonly isEnabled: boolean;
}

/** The delivery of an event to an endpoint: the newest series of attempts. */
export interface DeliveryFact {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly endpoint: EndpointFact;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly dueAt: Date;
  readonly lastAttemptAt: Date | null;
  /** HTTP status of the last answer; null when there was none. */
  readonly lastStatus: number | null;
  /** Why there was no answer, such as `timeout`. */
  readonly lastErrorCode: string | null;
}

/** That staff know of an underpayment or a surplus, and have closed the case. */
export interface AcknowledgementFact {
  readonly author: string;
  /** For staff alone. */
  readonly note: string;
  readonly at: Date;
}

/** All facts of a verdict, read at one time. */
export interface IntentFacts {
  /** By the database's clock. */
  readonly now: Date;
  readonly intent: IntentFact;
  readonly payments: readonly PaymentFact[];
  readonly unattributed: readonly UnattributedFact[];
  readonly elsewhere: readonly ElsewhereFact[];
  /** Null when no listener reads the chain: it is not on offer, or no longer. */
  readonly chain: ChainFact | null;
  readonly quarantinedAt: Date | null;
  /** Null until staff have acknowledged how it was paid. */
  readonly acknowledgement: AcknowledgementFact | null;
  /** Null once there is an address. */
  readonly supply: SupplyFact | null;
  readonly events: readonly EventFact[];
  readonly deliveries: readonly DeliveryFact[];
  /** Endpoints that subscribe to completions. */
  readonly endpoints: readonly EndpointFact[];
  /** How long an attempt to deliver waits for its answer. */
  readonly attemptTimeoutMs: number;
}
