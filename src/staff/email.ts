/** The spelling of an e-mail address by which accounts are found. */
export const normalisedEmail = (email: string): string => email.trim().toLowerCase();
