/** SQL: a final row of `deposit` that is not in the books: staff booked it out, or it was reorged before it was credited. */
export const OUT_OF_BOOKS = `
  ((deposit.reversed_at is not null and deposit.restored_at is null)
    or (deposit.gone_at is not null and deposit.credited_at is null))`;
