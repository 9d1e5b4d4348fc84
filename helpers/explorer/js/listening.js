// anywidget gives a page two seconds to read a script. On a busy one it takes longer, and the model then
// drops all that the kernel says: an Explorer that the kernel computes would stand still. So the kernel
// is heard as ipywidgets hears it, for by the time that this runs, the script has been read.

function begin({ model }) {
  keepListening(model).catch(console.error);
  saveWithNotebook({ model });
}

async function keepListening(model) {
  const own = await model.widget_manager.get_model(model.get("own"));
  const plain = Object.getPrototypeOf(Object.getPrototypeOf(own)); // ipywidgets' model, under anywidget's
  if (own.comm && plain._handle_comm_msg) own.comm.on_msg(plain._handle_comm_msg.bind(own));
}
