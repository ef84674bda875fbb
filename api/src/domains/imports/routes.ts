import * as contract from '@roastery/contract/imports';
import type { Domain } from '../../app.ts';
import { createRoastFromUpload } from './create-roast-from-upload.ts';
import { logRoast } from './log-roast.ts';
import { chooseUpload, getUpload, uploadRoastFile } from './uploads.ts';

/** Mounted before the roasts: `uploads` is no id. */
export const importRoutes: Domain = (routes) => {
  routes.forUser(contract.uploadRoastFile, (context, { query, file }) =>
    uploadRoastFile(context, query.file_name, file),
  );
  routes.forUser(contract.getRoastUpload, (context, { params }) => getUpload(context, params.id));
  routes.forUser(contract.chooseRoastUpload, (context, { params, body }) => chooseUpload(context, params.id, body));
  routes.forUser(contract.createRoastFromUpload, (context, { params, body }) =>
    createRoastFromUpload(context, params.id, body),
  );
  routes.forUser(contract.logRoast, (context, { body }) => logRoast(context, body));
};
