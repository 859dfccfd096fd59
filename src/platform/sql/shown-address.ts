import { sql, type SqlText } from './sql.js';

/**
 * Computes the key of an address from its shown form: lower case on EVM networks, where letters are only a checksum. Other
 * families distinguish the case of letters, so there the key is what is shown.
 */
export const keyOfShown = (family: SqlText, shown: SqlText) =>
  sql`(case ${family} when 'evm' then lower(${shown} collate "C") else ${shown} end)`;
