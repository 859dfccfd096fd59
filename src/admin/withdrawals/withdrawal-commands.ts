import { isHeldByRule, type Standing } from '../../domain/outgoing-payment.js';
import type { WithdrawalDetails } from '../../withdrawals/withdrawal-details.service.js';

type Waiting = Pick<WithdrawalDetails['withdrawal'], 'id' | 'network' | 'merchantId' | 'environment'>;

/** What a shell can do about a standing; nothing where it ends by itself. */
export function commandsFor(standing: Standing | null, { id, network, merchantId, environment }: Waiting): string[] {
  if (isHeldByRule(standing)) return [`npx coffer withdrawals approve ${id} --reason "<why>"`];
  if (standing === 'not_looked_at' || standing === 'no_hot_wallet') return ['npx coffer vault status'];
  if (standing === 'no_fresh_fees' || standing === 'not_sent') return [`npx coffer doctor --network ${network}`];
  if (standing === 'chain_halted' || standing === 'wallet_frozen') return ['npx coffer doctor'];
  if (standing === 'merchant_frozen' || standing === 'over_limit' || standing === 'destination_not_allowed') {
    return [`npx coffer policy show --merchant ${merchantId} --env ${environment}`];
  }
  return [];
}
