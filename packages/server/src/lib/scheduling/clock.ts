/** The time, Unix milliseconds; handed in, so that tests can move it. */
export type Clock = () => number;
