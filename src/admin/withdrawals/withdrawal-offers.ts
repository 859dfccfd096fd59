import { isHeldByRule, type Standing } from '../../domain/outgoing-payment.js';
import type { WithdrawalDetails } from '../../withdrawals/withdrawal-details.service.js';
import type { StaffWithdrawalDetailObject } from './withdrawals.schema.js';

type Waiting = Pick<WithdrawalDetails['withdrawal'], 'network' | 'merchantId' | 'environment'>;

/** What an administrator can do in the console about a standing. */
export function offerFor(standing: Standing | null): StaffWithdrawalDetailObject['offer'] {
  if (isHeldByRule(standing)) return 'approve';
  if (standing === 'wallet_frozen') return 'unfreeze_network';
  return standing === 'merchant_frozen' ? 'unfreeze_merchant' : null;
}

/** What only a shell can do about a standing; nothing where it ends by itself, or in the console. */
export function commandsFor(standing: Standing | null, { network, merchantId, environment }: Waiting): string[] {
  if (standing === 'not_looked_at' || standing === 'no_hot_wallet') return ['npx coffer vault status'];
  if (standing === 'no_fresh_fees' || standing === 'not_sent') return [`npx coffer doctor --network ${network}`];
  if (standing === 'chain_halted') return ['npx coffer doctor'];
  if (standing === 'over_limit' || standing === 'destination_not_allowed') {
    return [`npx coffer policy show --merchant ${merchantId} --env ${environment}`];
  }
  return [];
}
