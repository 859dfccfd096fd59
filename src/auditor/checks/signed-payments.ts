import { contradictionIn, type SignedOrders, type SignedRecord } from '../../chains/evm/signed-order.js';
import { type Tx, sql } from '../../platform/database/database.js';
import { BreachList, type Check, type Finding } from '../check.js';

const BATCH = 100;

interface AttemptRow extends SignedOrders {
  readonly transaction_id: string;
  readonly number: number;
  readonly tx_hash: string;
  readonly raw_transaction: string;
  readonly chain_id: string;
  readonly sender: string;
  readonly nonce: string;
}

/** Checks the signed bytes themselves, not the columns beside them. */
export const SIGNED_PAYMENTS_CHECK: Check = {
  name: 'payments_are_ordered',
  rule: 'Every signed version of a transaction does what one withdrawal, refund, sweep or deployment ordered, or is a loss that staff adopted.',
  find: async (tx) => {
    const breaches = new BreachList();
    let above: readonly [id: string, number: number] = ['', 0];
    for (;;) {
      const attempts = await nextAttempts(tx, above);
      for (const attempt of attempts) {
        const says = contradictionIn(signedRecord(attempt), attempt);
        if (says !== null) breaches.add(findingOf(attempt, says));
        above = [attempt.transaction_id, attempt.number];
      }
      if (attempts.length < BATCH) return breaches.found;
    }
  },
};

/** The next page of signed versions, above $1 and $2, each with its order. */
export const NEXT_ATTEMPTS_STATEMENT = `
     select attempt.transaction_id, attempt.number, attempt.tx_hash, attempt.raw_transaction, chain.chain_id, sent.sender,
            sent.nonce,
            (select json_build_object('token', lower(ordered.token_contract), 'amount', ordered.amount::text,
                                      'recipient', ordered.destination_key)
               from (select chain_ref, token_contract, amount, destination_key from withdrawal
                      where sent.purpose = 'withdrawal' and withdrawal.id = sent.purpose_id
                      union all
                     select deposit.chain_ref, deposit.token_contract, deposit.amount, deposit_return.destination_key
                       from deposit_return join deposit on deposit.id = deposit_return.deposit_id
                      where sent.purpose = 'deposit_return' and deposit_return.id = sent.purpose_id) ordered
              where (ordered.chain_ref, lower(ordered.token_contract), ordered.amount)
                  = (sent.chain_ref, lower(sent.token_contract), sent.amount)) as payment,
            (select json_build_object('batch', sweep.batch, 'delegate', sweep.delegate, 'items', coalesce(items.list, '[]'))
               from sweep
               left join lateral (
                 select json_agg(json_build_object('deposit', address.address_key, 'token', lower(item.token_contract),
                                                   'nonce', item.authorization_nonce) order by item.position) as list
                   from sweep_item item join pool_address address on address.id = item.address_id
                  where item.sweep_id = sweep.id) items on true
              where sent.purpose = 'sweep' and sweep.id = sent.purpose_id and sweep.chain_ref = sent.chain_ref) as sweep,
            (select json_build_object('address', contract.address) from sweep_contract contract
              where sent.purpose = 'contract' and contract.id = sent.purpose_id
                and contract.chain_ref = sent.chain_ref) as contract,
            (select json_build_object('token', sent.token_contract, 'amount', sent.amount::text)
              where sent.purpose = 'loss'
                and exists (select from audit_entry
                             where subject = sent.purpose_id and action = 'transaction.adopt'
                               and details ->> 'hash' = attempt.tx_hash)) as loss
       from transaction_attempt attempt
       join chain_transaction sent on sent.id = attempt.transaction_id
       join chain on chain.id = sent.chain_ref
      where (attempt.transaction_id, attempt.number) > ($1, $2) and sent.id >= $1
      order by attempt.transaction_id, attempt.number limit $3`;

function nextAttempts(tx: Tx, [id, number]: readonly [id: string, number: number]): Promise<AttemptRow[]> {
  return sql<AttemptRow>(tx, NEXT_ATTEMPTS_STATEMENT, [id, number, BATCH]);
}

const signedRecord = ({
  raw_transaction: raw,
  tx_hash: hash,
  chain_id: chainId,
  sender,
  nonce,
}: AttemptRow): SignedRecord => ({
  raw,
  hash,
  chainId,
  sender,
  nonce: Number(nonce),
});

const findingOf = ({ transaction_id: id, number }: AttemptRow, says: string): Finding => ({
  row: `transaction_attempt ${id}/${number}`,
  says,
});
