import type { IntentFacts } from '../verdict/intent-verdict-facts.js';
import type { Finding, VerdictCode } from '../verdict/intent-verdict-finding.js';

/** What staff can do about a finding. A command is for what the console does not do itself. */
export type IntentAction =
  | { readonly kind: 'resend'; readonly deliveryIds: readonly string[] }
  | { readonly kind: 'open_endpoint'; readonly endpointId: string }
  | { readonly kind: 'send_missing'; readonly endpointId: string; readonly eventId: string }
  | { readonly kind: 'open_deposit'; readonly depositIds: readonly string[] }
  | { readonly kind: 'open_networks' }
  | { readonly kind: 'retry_settlement' }
  | { readonly kind: 'command'; readonly commands: readonly string[] }
  | { readonly kind: 'answer_payer' }
  | { readonly kind: 'answer_merchant' }
  | { readonly kind: 'wait' };

type ActionOf = (finding: Finding, facts: IntentFacts) => IntentAction;

const ANSWER_PAYER: ActionOf = () => ({ kind: 'answer_payer' });
const ANSWER_MERCHANT: ActionOf = () => ({ kind: 'answer_merchant' });
const WAIT: ActionOf = () => ({ kind: 'wait' });

/** A decision about each payment that a finding rests on. */
const decide: ActionOf = ({ evidence: { payments = [] } }) => ({
  kind: 'open_deposit',
  depositIds: payments.map(({ id }) => id),
});
const examineNetwork: ActionOf = (_finding, { intent }) => ({
  kind: 'command',
  commands: [`npx coffer doctor --network ${intent.network}`],
});

/** A disabled endpoint holds its deliveries: nothing is sent before it is enabled. */
const resend: ActionOf = ({ evidence: { deliveries = [] } }) => {
  const sendable = deliveries.filter(({ endpoint }) => endpoint.isEnabled);
  const [disabled] = deliveries;
  if (sendable.length === 0 && disabled !== undefined)
    return { kind: 'open_endpoint', endpointId: disabled.endpoint.id };
  return { kind: 'resend', deliveryIds: sendable.map(({ id }) => id) };
};

const openEndpoint: ActionOf = ({ evidence: { endpoints = [], deliveries = [] } }) => {
  const [endpoint] = [...endpoints, ...deliveries.map((delivery) => delivery.endpoint)];
  return endpoint === undefined ? { kind: 'answer_merchant' } : { kind: 'open_endpoint', endpointId: endpoint.id };
};

/** An event that no endpoint was owed can be sent to one that subscribes to it now. */
const sendMissing: ActionOf = ({ evidence: { events = [] } }, { endpoints }) => {
  const [event] = events;
  const endpoint = endpoints.find(({ isEnabled }) => isEnabled);
  if (event === undefined || endpoint === undefined) return { kind: 'answer_merchant' };
  return { kind: 'send_missing', endpointId: endpoint.id, eventId: event.id };
};

const ACTIONS: Readonly<Record<VerdictCode, ActionOf>> = {
  settlement_quarantined: () => ({ kind: 'retry_settlement' }),
  paid_in_another_token: decide,
  paid_on_another_network: decide,
  paid_to_another_account: ANSWER_MERCHANT,
  paid_late: ANSWER_MERCHANT,
  payment_orphaned: WAIT,
  payment_on_hold: decide,
  payment_kept: ANSWER_MERCHANT,
  listener_halted: examineNetwork,
  listener_paused: () => ({ kind: 'open_networks' }),
  network_disabled: examineNetwork,
  token_disabled: examineNetwork,
  listener_behind: examineNetwork,
  finality_stalled: examineNetwork,
  price_unavailable: () => ({ kind: 'command', commands: ['npx coffer doctor'] }),
  no_wallets_available: () => ({ kind: 'command', commands: ['npx coffer vault status'] }),
  awaiting_outcome: WAIT,
  awaiting_settlement: WAIT,
  awaiting_confirmations: WAIT,
  part_paid: ANSWER_PAYER,
  dust_only: ANSWER_PAYER,
  confirmed_by_merchant_unpaid: ANSWER_PAYER,
  awaiting_address: ANSWER_MERCHANT,
  not_paid: ANSWER_PAYER,
  underpaid_at_end: ANSWER_MERCHANT,
  failed_on_hold: ANSWER_MERCHANT,
  expired_unpaid: ANSWER_PAYER,
  cancelled_by_system: ANSWER_MERCHANT,
  webhook_dead_lettered: resend,
  webhook_endpoint_disabled: openEndpoint,
  webhook_not_acknowledged: resend,
  webhook_delayed: WAIT,
  paid_again: ANSWER_MERCHANT,
  overpaid: ANSWER_MERCHANT,
  shortfall_accepted: ANSWER_MERCHANT,
  paid_completed: ANSWER_MERCHANT,
  no_webhook_endpoint: sendMissing,
};

/** Returns what staff can do about a finding on an intent. */
export const actionFor = (finding: Finding, facts: IntentFacts): IntentAction => ACTIONS[finding.code](finding, facts);
