/** How long the chain is checked for the return of a deposit that was booked out. */
export const COMES_BACK_WITHIN = `interval '7 days'`;

/** SQL: a row of `deposit` that is in the books and was reorged: it is to be booked out. */
export const BOOKED_AND_REORGED = `
  (deposit.gone_at is not null and deposit.credited_at is not null
    and (deposit.reversed_at is null or deposit.restored_at is not null))`;

/** SQL: a row of `deposit` that was reorged, booked out, and not booked in again. */
export const REVERSED_AND_REORGED = `
  deposit.gone_at is not null and deposit.reversed_at is not null and deposit.restored_at is null`;
