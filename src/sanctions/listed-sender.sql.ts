/**
 * SQL: the id of the listing by which the sender of a row of `deposit` is on the current sanctions list; null when it is
 * not, and for coins from inside of a contract, which name no sender. One probe of the index that holds the current list.
 */
export const LISTED_SENDER = `
  (select listed.id from chain
     join sanctioned_address listed on listed.family = chain.family and listed.address_key = deposit.from_address
    where chain.id = deposit.chain_ref and listed.removed_in is null)`;
