import { monotonicFactory } from 'ulid';

/** The prefixes of ids by kind. The first line is public, the second and third are internal, the last belongs to the console. */
export type IdPrefix =
  | ('pi_' | 'wd_' | 'pkt_' | 'evt_' | 'we_' | 'dlv_' | 'mer_' | 'key_' | 'req_')
  | ('dep_' | 'ent_' | 'ord_' | 'prd_' | 'ctx_' | 'swp_' | 'swc_' | 'top_' | 'ret_' | 'los_' | 'sho_' | 'rec_')
  | ('fnd_' | 'eln_' | 'ert_' | 'stk_')
  | ('stf_' | 'ses_' | 'inv_' | 'note_' | 'rpl_' | 'inb_' | 'inr_');

/**
 * Makes a source of ids that sort in the order of their creation, also within one millisecond and when `now` steps back.
 * `fraction` returns randomness in [0, 1), `now` milliseconds since 1970.
 */
export function idSource(fraction: () => number, now: () => number): (prefix: IdPrefix) => string {
  const ulid = monotonicFactory(fraction);
  return (prefix) => prefix + ulid(now()).toLowerCase();
}
