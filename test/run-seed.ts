/**
 * Names the seed of random tests that the runner draws for all processes of a run. Not ROLLCALL_SEED, which replays
 * one: servers that tests start warn of variables that begin like their settings.
 */
export const RUN_SEED_VARIABLE = "SEED_FOR_ROLLCALL_TESTS";
