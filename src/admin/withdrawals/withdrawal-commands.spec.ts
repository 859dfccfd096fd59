import type { Standing } from '../../domain/outgoing-payment.js';
import { commandsFor } from './withdrawal-commands.js';

const WITHDRAWAL = { id: 'wd_1', network: 'polygon', merchantId: 'mer_1', environment: 'live' } as const;

describe('the commands for a withdrawal that waits', () => {
  it.each<[Standing, string]>([
    ['approval_missing', 'npx coffer withdrawals approve wd_1 --reason "<why>"'],
    ['not_looked_at', 'npx coffer vault status'],
    ['not_sent', 'npx coffer doctor --network polygon'],
    ['chain_halted', 'npx coffer doctor'],
    ['wallet_frozen', 'npx coffer doctor'],
    ['merchant_frozen', 'npx coffer policy show --merchant mer_1 --env live'],
    ['over_limit', 'npx coffer policy show --merchant mer_1 --env live'],
    ['destination_not_allowed', 'npx coffer policy show --merchant mer_1 --env live'],
  ])('lead to the cause: %s', (standing, command) => {
    expect(commandsFor(standing, WITHDRAWAL)).toEqual([command]);
  });

  it('are none where it goes on by itself, or has ended', () => {
    expect([commandsFor('not_final', WITHDRAWAL), commandsFor(null, WITHDRAWAL)]).toEqual([[], []]);
  });
});
