import type { IntentStatus } from '../../src/domain/intent-state.js';
import type {
  ChainFact,
  DeliveryFact,
  EndpointFact,
  EventFact,
  IntentFact,
  IntentFacts,
  PaymentFact,
  UnattributedFact,
} from '../../src/explain/verdict/intent-verdict-facts.js';

/** A moment of the day on which everything happens. */
export const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1, 12) + minutes * 60_000);
export const USDC = 1_000_000n;

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const QUOTE = { address: ADDRESS, decimals: 6, cryptoAmount: 25n * USDC, toleranceBps: 0 };

export const CHAIN: ChainFact = {
  height: 100,
  headHeight: 100,
  lagMs: 0,
  isBehind: false,
  isFinalityHeldUp: false,
  isHalted: false,
  pausedAt: null,
  offersToken: true,
  secondsPerBlock: 2,
};

/** 25.00 USD in USDC on polygon, addressed, at minute 10 of 60; nothing has happened yet. */
export function factsOf({ intent, ...more }: Partial<Omit<IntentFacts, 'intent'>> & { intent?: Partial<IntentFact> }) {
  const facts: IntentFacts = {
    now: at(10),
    intent: {
      status: 'requires_action',
      failure: intent?.status === 'failed' ? 'underpaid' : null,
      network: 'polygon',
      token: 'USDC',
      currency: 'USD',
      amountCents: 2500,
      overpaidCents: 0,
      acceptedShortfallCents: 0,
      receivedUnits: 0n,
      expiresAt: at(60),
      completedAt: intent?.status === 'completed' ? at(9) : null,
      quote: QUOTE,
      pocketId: 'pkt_1',
      ...intent,
    },
    payments: [],
    unattributed: [],
    elsewhere: [],
    chain: CHAIN,
    quarantinedAt: null,
    acknowledgement: null,
    supply: null,
    events: [],
    deliveries: [],
    endpoints: [],
    attemptTimeoutMs: 10_000,
    ...more,
  };
  return facts;
}

export const payment = (amount: bigint, more: Partial<PaymentFact> = {}): PaymentFact => ({
  id: 'dep_1',
  txHash: `0x${'5f'.repeat(32)}`,
  from: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  network: 'polygon',
  token: 'USDC',
  decimals: 6,
  amount,
  status: 'confirmed',
  blockHeight: 90,
  blockTime: at(5),
  seenAt: at(5),
  confirmations: 40,
  requiredConfirmations: 32,
  late: false,
  released: false,
  ...more,
});
export const seen = (amount: bigint, confirmations: number): PaymentFact =>
  payment(amount, { status: 'seen', confirmations, blockHeight: 100 - confirmations });

export const unattributed = (more: Partial<UnattributedFact> = {}): UnattributedFact => ({
  ...payment(25n * USDC),
  token: 'USDT',
  reason: 'other_token',
  valueCents: 2500n,
  ...more,
});

export const COMPLETION: EventFact = {
  id: 'evt_1',
  type: 'payment_intent.completed',
  createdAt: at(9),
  isRelayed: true,
};
export const ENDPOINT: EndpointFact = { id: 'we_1', url: 'https://shop.example/hooks', isEnabled: true };
export const DISABLED: EndpointFact = { ...ENDPOINT, isEnabled: false };

export const delivery = (more: Partial<DeliveryFact> = {}): DeliveryFact => ({
  id: 'dlv_1',
  eventId: 'evt_1',
  eventType: 'payment_intent.completed',
  endpoint: ENDPOINT,
  status: 'pending',
  attempts: 2,
  dueAt: at(12),
  lastAttemptAt: at(9),
  lastStatus: 500,
  lastErrorCode: null,
  ...more,
});

export const ended = (status: IntentStatus, more: Partial<IntentFact> = {}): Partial<IntentFact> => ({
  status,
  receivedUnits: status === 'completed' ? 25n * USDC : 0n,
  ...more,
});
/** Completed and final, with what its webhooks came to. */
export const withDeliveries = (deliveries: readonly DeliveryFact[], more: Partial<IntentFacts> = {}) => ({
  payments: [payment(25n * USDC)],
  events: [COMPLETION],
  deliveries,
  ...more,
  intent: ended('completed'),
});

export const addressless = { quote: null } as const;
export const SUPPLIED = { isPriced: true, hasFreeAddress: true };

/** The differences from an intent without any event. */
export type Change = Parameters<typeof factsOf>[0];
