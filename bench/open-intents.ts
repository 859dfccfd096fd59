/** The limit of open intents of one merchant, for the service and the bare server: above what a whole run opens. */
export const OPEN_INTENTS_MAX = '1000000';
