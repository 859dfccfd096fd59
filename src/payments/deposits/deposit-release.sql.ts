/**
 * SQL: the columns of a row of `deposit`, and `was_released_before_reversal`: whether staff had released a listed
 * sender's deposit before it was booked out. It is null for every other deposit; the ledger is read in that case only.
 */
export const WITH_RELEASE_BEFORE_REVERSAL = `
  deposit.*, case when deposit.listed_sender_id is not null and deposit.reversed_at is not null and deposit.restored_at is null
    then exists (select from entry where entry.reference = 'release:' || deposit.id) end as was_released_before_reversal`;
