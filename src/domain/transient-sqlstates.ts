/**
 * SQLSTATEs after which the same statement may succeed: the server is shutting down or starting, serialization failure,
 * deadlock, lock and statement timeouts. Source: PostgreSQL, appendix A.
 */
export const TRANSIENT_SQLSTATES = ['57P01', '57P02', '57P03', '40001', '40P01', '55P03', '57014'] as const;
