/** SQL: a row of `deposit` that the books do not hold, although it was final: staff took it out, or it was never let in. */
export const OUT_OF_BOOKS = `
  ((deposit.reversed_at is not null and deposit.restored_at is null)
    or (deposit.gone_at is not null and deposit.credited_at is null))`;
