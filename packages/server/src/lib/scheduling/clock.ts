/** Returns the current time in Unix milliseconds. Services receive the clock as a parameter, so tests can control the time. */
export type Clock = () => number;
