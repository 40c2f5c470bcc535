/** The entry of the builder's worker threads; workers/pool.ts starts them. */

import { TASK_HANDLERS } from "./tasks.js";
import { serveTasks } from "./workers/serve-tasks.js";

serveTasks(TASK_HANDLERS);
