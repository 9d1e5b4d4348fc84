"""The commands for learners and teachers, on any system; `make` has a short name for each:

python -m helpers.classroom.lab             your copies of the notebooks in JupyterLab
python -m helpers.classroom.student FOLDER  a folder for a class, without solutions
python -m helpers.classroom.progress FOLDER who has done what, from the copies of a class
python -m helpers.classroom.site FOLDER     web pages, whose sliders need no kernel
"""
