/** So long it is asked whether what was booked out comes back. */
export const COMES_BACK_WITHIN = `interval '7 days'`;

/** SQL: a row of `deposit` that the books hold, and of which the chain shows nothing: it is to be booked out. */
export const BOOKED_AND_GONE = `
  (deposit.gone_at is not null and deposit.credited_at is not null
    and (deposit.reversed_at is null or deposit.restored_at is not null))`;

/** SQL: a row of `deposit` that was booked out, was not booked in again, and of which the chain shows nothing. */
export const REVERSED_AND_GONE = `
  deposit.gone_at is not null and deposit.reversed_at is not null and deposit.restored_at is null`;
