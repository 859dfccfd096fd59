import { TRANSFER_GAS } from '../../src/domain/transfer-gas.js';
import type { Database } from '../../src/platform/database/database.js';
import type { SimulationResult } from '../../src/treasury/simulation/payment-simulation.entity.js';
import { query } from './sql.js';

/** Traits of a simulation; by default it is fresh and the destination accepts. */
export interface SimulationTraits {
  readonly outcome?: SimulationResult;
  readonly secondsAgo?: number;
  /** For a payment in the coin, whether the destination is a contract. */
  readonly hasCode?: boolean;
}

/** Inserts the row that the worker writes after nodes have executed a payment; no node is involved. */
export async function simulated(
  database: Database,
  purposeId: string,
  { outcome = 'accepts', secondsAgo = 0, hasCode = false }: SimulationTraits = {},
): Promise<void> {
  await query(
    database,
    `insert into payment_simulation (purpose, purpose_id, chain_ref, sender, token_contract, amount, destination_key,
       gas_limit, destination_has_code, outcome, nodes, block_height, block_hash, simulated_at)
     select payment.purpose, $1, payment.chain_ref, wallet.address_key, payment.token_contract, payment.amount,
            payment.destination_key, case payment.token_contract when 'native' then $2::bigint else $3 end,
            case payment.token_contract when 'native' then $6::boolean end, $4, 1, 7,
            '0x' || repeat('07', 32), date_trunc('milliseconds', clock_timestamp()) - $5 * interval '1 second'
       from (select 'withdrawal' as purpose, chain_ref, token_contract, amount, destination_key
               from withdrawal where id = $1
              union all
             select 'deposit_return', deposit.chain_ref, deposit.token_contract, deposit.amount, destination_key
               from deposit_return join deposit on deposit.id = deposit_id where deposit_return.id = $1) payment
       join hot_wallet wallet on wallet.chain_ref = payment.chain_ref`,
    [purposeId, TRANSFER_GAS.coin.limit.toString(), TRANSFER_GAS.token.limit.toString(), outcome, secondsAgo, hasCode],
  );
}
