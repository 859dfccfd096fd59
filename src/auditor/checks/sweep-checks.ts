import { statementCheck } from '../check.js';

/** The balances of deposit addresses by the books, and the sweeps of them. */
export const SWEEP_CHECKS = [
  statementCheck(
    'deposit_balances_add_up',
    'The balance row of an address and a token equals its final deposits and its sweeps.',
    `select format('deposit_balance %s/%s/%s', chain_ref, token_contract, address_id) as row,
            format('has received %s and given %s; its deposits brought %s, and sweeps took %s', balance.received,
                   balance.swept, coalesce(brought.total, 0), coalesce(taken.total, 0)) as says,
            abs(coalesce(balance.received, 0) - coalesce(brought.total, 0))
              + abs(coalesce(balance.swept, 0) - coalesce(taken.total, 0)) as gap
       from deposit_balance balance
       full join (select chain_ref, token_contract, address_id, sum(amount) as total from deposit
                   where status = 'confirmed' group by chain_ref, token_contract, address_id) brought
         using (chain_ref, token_contract, address_id)
       left join (select chain_ref, token_contract, address_id, sum(swept) as total from sweep_item
                   where swept > 0 group by chain_ref, token_contract, address_id) taken
         using (chain_ref, token_contract, address_id)
      where balance.received is distinct from coalesce(brought.total, 0) or balance.swept is distinct from coalesce(taken.total, 0)
      order by chain_ref, token_contract, address_id`,
  ),
  statementCheck(
    'balances_are_swept_once',
    'A balance is in the one sweep that it names while that is pending, and in none otherwise.',
    `select format('deposit_balance %s/%s/%s', chain_ref, token_contract, address_id) as row,
            format('names %s, and %s has not ended', coalesce(balance.sweep_id, 'no sweep'),
                   coalesce(item.sweep_id, 'none')) as says
       from deposit_balance balance
       full join (select * from sweep_item where swept is null) item using (chain_ref, token_contract, address_id)
      where balance.sweep_id is distinct from item.sweep_id order by chain_ref, token_contract, address_id`,
  ),
  statementCheck(
    'sweeps_end_with_their_transactions',
    'A sweep is pending exactly as long as its transaction, and moves funds only if that succeeded.',
    `select 'sweep ' || sweep.id as row,
            format('%s, and its transaction is %s', case when sweep.finished_at is null then 'is under way' else 'has ended' end,
                   coalesce(sent.status, 'not there')) as says
       from sweep
       left join chain_transaction sent
         on sent.purpose = 'sweep' and sent.purpose_id = sweep.id and sent.status <> 'superseded'
      where case when sweep.finished_at is null then sent.status <> 'signed' or (sent.id is null) <> (sweep.signed_at is null)
                 else sent.status = 'signed'
                   or exists (select from sweep_item item where item.sweep_id = sweep.id and item.swept is null)
                   or (sent.status is distinct from 'succeeded'
                       and exists (select from sweep_item item where item.sweep_id = sweep.id and item.swept > 0)) end
      order by sweep.id`,
  ),
] as const;
