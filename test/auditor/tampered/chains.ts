import type { PaidIds } from '../paid-world.js';

/** A change of the books that the chain contradicts, or seems to contradict. */
export interface Contradiction {
  readonly name: string;
  /** A query for an id whose columns are $1 and $2 of the statements and patterns. Null: they have no parameters. */
  readonly facts: readonly [of: keyof PaidIds, query: string] | null;
  readonly change: string;
  readonly back: string;
  /** Patterns of the output of `verify`. None: the books still hold. */
  readonly says: readonly string[];
  readonly saysNot?: string;
}

const TX_HASH = `select id, tx_hash from deposit where id = $1`;
const ADDRESS_HOLDS = String.raw`addresses_hold_deposits: address 0x[0-9a-f]{40} holds`;

/** Changes that only the chain can contradict. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  {
    name: 'a deposit that never came',
    facts: ['deposit', TX_HASH],
    change: `update deposit set tx_hash = overlay($2::text placing 'ffff' from 3) where id = $1`,
    back: `update deposit set tx_hash = $2 where id = $1`,
    says: ['deposits_are_on_chain: deposit $1 moves 25000000, but block'],
  },
  {
    name: 'no deposit whose transaction moved to another block',
    facts: ['deposit', `select id, block_hash from deposit where id = $1`],
    change: `update deposit set block_height = block_height - 1, block_hash = 'elsewhere' where id = $1 and block_hash = $2`,
    back: `update deposit set block_height = block_height + 1, block_hash = $2 where id = $1`,
    says: [],
  },
  {
    name: 'the funds, and not the deposit, when staff booked out a deposit that was not reorged',
    facts: ['deposit', TX_HASH],
    change: `update deposit set tx_hash = overlay($2::text placing 'ffff' from 3), gone_at = now(), reversed_at = now()
              where id = $1`,
    back: `update deposit set tx_hash = $2, gone_at = null, reversed_at = null where id = $1`,
    says: [`${ADDRESS_HOLDS} 25000000 of 0x[0-9a-f]{40}`],
    saysNot: 'deposits_are_on_chain: deposit $1',
  },
  {
    name: 'a transfer that is not recorded as a deposit',
    facts: ['deposit', `select to_jsonb(deposit)::text as row from deposit where id = $1`],
    change: `delete from deposit where id = $1::jsonb ->> 'id'`,
    back: `insert into deposit select restored.* from jsonb_populate_record(null::deposit, $1) restored`,
    says: [String.raw`${ADDRESS_HOLDS} 25000000 of 0x[0-9a-f]{40}, and its deposits and sweeps leave 0\.`],
  },
  {
    name: 'a deposit of the coin that is not on its address',
    facts: ['deposit', `select id from deposit where id = $1`],
    change: `insert into deposit select fake.* from deposit, jsonb_populate_record(deposit,
               '{"id": "dep_fake", "tx_hash": null, "from_address": null, "position": -1, "token_contract": "native",
                 "amount": 3}') fake where deposit.id = $1`,
    back: `delete from deposit where id = 'dep_fake' and $1 <> ''`,
    says: [String.raw`${ADDRESS_HOLDS} 0 of the coin, and its deposits and sweeps leave 3\.`],
  },
  {
    name: 'a top-up of a hot wallet with another amount',
    facts: null,
    change: `update top_up set amount = amount + 1 where token_contract = 'native'`,
    back: `update top_up set amount = amount - 1 where token_contract = 'native'`,
    says: [
      String.raw`hot_wallet_holds_books: hot_wallet sandbox-polygon-\S+ holds \d+ of native at block \d+, and the books say \d+\.`,
    ],
  },
  {
    name: 'a successful payment that is recorded as reverted',
    facts: ['completed', `select id, mined_hash from chain_transaction where purpose_id = $1`],
    change: `update chain_transaction set status = 'reverted' where id = $1 and mined_hash = $2`,
    back: `update chain_transaction set status = 'succeeded' where id = $1 and mined_hash = $2`,
    says: [String.raw`payments_are_on_chain: chain_transaction $1 reverted as $2, but the chain shows the opposite\.`],
  },
  {
    name: 'a hot wallet with a transaction that is not ours',
    facts: null,
    change: `update hot_wallet set next_nonce = next_nonce - 1 where next_nonce > 0`,
    // By its transactions: the running vault notices the gap, and may clear the count of the chain.
    back: `update hot_wallet set next_nonce = next_nonce + 1
            where exists (select from chain_transaction where sender = address_key and nonce = next_nonce)`,
    says: [
      String.raw`nonces_are_ours: hot_wallet \S+ has sent 1 transactions by the chain; 1 ended and 0 were signed\.`,
    ],
  },
];
