import { newId } from '../../src/domain/ids.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import { sweepContracts } from '../../src/chains/evm/sweep-contracts.js';
import type { DerivedAddress } from '../../src/vault/vault.js';
import type { SeededChain } from './factories.js';
import type { PayoutScene } from './payout-scene.js';
import { query } from './sql.js';

let nextIndex = 0;

export interface SweepTraits {
  /** Next nonce of each address; null = it delegates already. */
  readonly nonces?: readonly (number | null)[];
  /** The delegate of the addresses; the hot wallet's own delegate when absent. */
  readonly delegate?: string;
  /** Whether both USDC and the coin of each address are swept. */
  readonly coinsToo?: boolean;
}

/** Inserts a planned sweep of addresses whose keys are in the scene's vault. */
export async function aPlannedSweep(
  { database, vault }: PayoutScene,
  { chainRef, contract }: SeededChain,
  { nonces = [0, null], delegate, coinsToo = false }: SweepTraits = {},
): Promise<{ readonly id: string; readonly addresses: readonly DerivedAddress[] }> {
  const addresses = await vault.deriveAddresses('sandbox', 'evm', nextIndex, nonces.length);
  nextIndex += nonces.length;
  const [wallet] = await query<{ address_key: string }>(
    database,
    `select address_key from hot_wallet where chain_ref = $1`,
    [chainRef],
  );
  const contracts = sweepContracts(wallet?.address_key ?? '');
  const id = newId('swp_');
  await query(
    database,
    `insert into sweep (id, chain_ref, reason, delegate, batch) values ($1, $2, 'threshold', $3, $4)`,
    [id, chainRef, delegate ?? contracts.delegate.address, contracts.batch.address],
  );
  let position = 0;
  for (const [place, { index, path, address, addressKey }] of addresses.entries()) {
    const [row] = await query<{ id: string }>(
      database,
      `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
       values ('sandbox', 'evm', $1, $2, $3, $4) returning id`,
      [index, path, address, addressKey],
    );
    for (const token of coinsToo ? [contract, NATIVE_COIN] : [contract]) {
      await query(
        database,
        `insert into deposit_balance (chain_ref, token_contract, address_id, received, sweep_id) values ($1, $2, $3, 5, $4)`,
        [chainRef, token, row?.id ?? null, id],
      );
      await query(
        database,
        `insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected, authorization_nonce)
         values ($1, $2, $3, $4, $5, 5, $6)`,
        [id, position++, chainRef, token, row?.id ?? null, nonces[place] ?? null],
      );
    }
  }
  return { id, addresses };
}
