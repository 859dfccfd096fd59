/** Statements to copy that set the cursor of a chain back by hand: docs/operations.md, "A chain is halted". */
export const cursorCommands = (chainRef: string): readonly string[] => [
  `psql "$DATABASE_URL" -c "select height, hash from chain_block where chain_ref = '${chainRef}' order by height desc limit 70"`,
  `psql "$DATABASE_URL" -c "update chain_cursor set height = <HEIGHT>, hash = '<HASH>', halted_reason = null where chain_ref = '${chainRef}'"`,
];
