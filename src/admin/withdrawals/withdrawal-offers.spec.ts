import type { Standing } from '../../domain/outgoing-payment.js';
import { commandsFor, offerFor } from './withdrawal-offers.js';

const WITHDRAWAL = { network: 'polygon', merchantId: 'mer_1', environment: 'live' } as const;

describe('what can be done about a withdrawal that waits', () => {
  it.each<[Standing, string]>([
    ['not_looked_at', 'npx coffer vault status'],
    ['not_sent', 'npx coffer doctor --network polygon'],
    ['chain_halted', 'npx coffer doctor'],
    ['over_limit', 'npx coffer policy show --merchant mer_1 --env live'],
    ['destination_not_allowed', 'npx coffer policy show --merchant mer_1 --env live'],
  ])('is a command that leads to the cause: %s', (standing, command) => {
    expect([commandsFor(standing, WITHDRAWAL), offerFor(standing)]).toEqual([[command], null]);
  });

  it.each<[Standing, string]>([
    ['approval_missing', 'approve'],
    ['new_destination', 'approve'],
    ['wallet_frozen', 'unfreeze_network'],
    ['merchant_frozen', 'unfreeze_merchant'],
  ])('is done in the console: %s', (standing, offer) => {
    expect([commandsFor(standing, WITHDRAWAL), offerFor(standing)]).toEqual([[], offer]);
  });

  it('is nothing where it goes on by itself, or has ended', () => {
    for (const standing of ['not_final', null] as const)
      expect([commandsFor(standing, WITHDRAWAL), offerFor(standing)]).toEqual([[], null]);
  });
});
