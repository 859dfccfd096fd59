/**
 * SQL: the columns of a row of `deposit`, with whether staff released it before it was booked out. The row says that itself
 * unless a listed sender's is booked out, so no other row is looked up.
 */
export const WITH_RELEASE = `
  deposit.*, case when deposit.listed_sender_id is not null and deposit.reversed_at is not null and deposit.restored_at is null
    then exists (select from entry where entry.reference = 'release:' || deposit.id) end as is_released`;
