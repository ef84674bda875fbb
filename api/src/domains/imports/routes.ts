import * as contract from '@roastery/contract/imports';
import { importLots as importLotsEndpoint } from '@roastery/contract/inventory';
import * as lots from '@roastery/contract/lot-imports';
import { checkMachineFiles, sendMachineFile } from '@roastery/contract/machine-files';
import * as many from '@roastery/contract/roast-imports';
import * as times from '@roastery/contract/roast-times';
import type { Domain } from '../../app.ts';
import { createRoastFromUpload } from './create-roast-from-upload.ts';
import { logRoast } from './log-roast.ts';
import * as lotImports from './lots/change-lot-import.ts';
import { importLots } from './lots/import-csv.ts';
import { listRows, readLotImport, readLotImports } from './lots/lot-import-rows.ts';
import { findMissingFiles, takeMachineFile } from './machine-files/take-machine-file.ts';
import * as imports from './many/change-import.ts';
import { readImport, readImports } from './many/import-rows.ts';
import { downloadOriginal, readOriginalAgain } from './original-file.ts';
import { updateRoastFromUpload } from './read-again.ts';
import { changeTimes } from './times/change-times.ts';
import { listTimes } from './times/read-times.ts';
import { chooseUpload, getUpload, uploadRoastFile } from './uploads.ts';

/** Mounted before the roasts: `uploads` is not an id. The files of an import are sent to the import thread, see `import-thread.ts`. */
export const importRoutes: Domain = (routes) => {
  routes.forUser(contract.uploadRoastFile, (context, { query, file }) =>
    uploadRoastFile(context, query.file_name, file),
  );
  routes.forUser(contract.getRoastUpload, (context, { params, query }) =>
    getUpload(context, params.id, query.machine_id),
  );
  routes.forUser(contract.chooseRoastUpload, (context, { params, body }) => chooseUpload(context, params.id, body));
  routes.forUser(contract.createRoastFromUpload, (context, { params, body }) =>
    createRoastFromUpload(context, params.id, body),
  );
  routes.forUser(contract.updateRoastFromUpload, (context, { params, body }) =>
    updateRoastFromUpload(context, params.id, body),
  );
  routes.forUser(contract.downloadOriginal, (context, { params }) => downloadOriginal(context, params.id));
  routes.forUser(contract.readOriginalAgain, (context, { params }) => readOriginalAgain(context, params.id));
  routes.forUser(many.listRoastImports, async ({ sql, user }) => ({ imports: await readImports(sql, user) }));
  routes.forUser(many.createRoastImport, (context) => imports.createImport(context));
  routes.forUser(many.getRoastImport, ({ sql, user }, { params }) => readImport(sql, user, params.id));
  routes.forUser(many.changeRoastImport, (context, { params, body }) => imports.changeImport(context, params.id, body));
  routes.forUser(many.listImportFiles, (context, { params, query }) => imports.listFiles(context, params.id, query));
  routes.forUser(many.correctImportFile, (context, { params, body }) =>
    imports.correctFile(context, params.id, params.file_id, body),
  );
  routes.forUser(many.decideImportFiles, (context, { params, body }) => imports.decideFiles(context, params.id, body));
  routes.forUser(many.startRoastImport, (context, { params }) => imports.startImport(context, params.id));
  routes.forUser(many.undoRoastImport, (context, { params }) => imports.undoImport(context, params.id));
  routes.forUser(many.deleteRoastImport, (context, { params }) => imports.deleteImport(context, params.id));
  routes.forUser(times.listTimesToCheck, (context, { query }) => listTimes(context, query));
  routes.forUser(times.changeTimesToCheck, (context, { body }) => changeTimes(context, body));
  routes.forDevice(sendMachineFile, (context, { query, file }) => takeMachineFile(context, query.file_name, file));
  routes.forDevice(checkMachineFiles, (context, { body }) => findMissingFiles(context, body.sha256));
  routes.forUser(contract.logRoast, (context, { body }) => logRoast(context, body));
  routes.forUser(importLotsEndpoint, (context, { body }) => importLots(context, body));
  routes.forUser(lots.listLotImports, async ({ sql, user }) => ({ imports: await readLotImports(sql, user) }));
  routes.forUser(lots.createLotImport, (context, { query, file }) =>
    lotImports.createLotImport(context, query.file_name, file),
  );
  routes.forUser(lots.getLotImport, ({ sql, user }, { params }) => readLotImport(sql, user, params.id));
  routes.forUser(lots.changeLotImport, (context, { params, body }) =>
    lotImports.changeLotImport(context, params.id, body),
  );
  routes.forUser(lots.listLotImportRows, ({ sql, user }, { params, query }) => listRows(sql, user, params.id, query));
  routes.forUser(lots.correctLotImportRow, (context, { params, body }) =>
    lotImports.correctRow(context, params.id, params.line, body),
  );
  routes.forUser(lots.startLotImport, (context, { params }) => lotImports.startLotImport(context, params.id));
  routes.forUser(lots.undoLotImport, (context, { params }) => lotImports.undoLotImport(context, params.id));
  routes.forUser(lots.deleteLotImport, (context, { params }) => lotImports.deleteLotImport(context, params.id));
};
