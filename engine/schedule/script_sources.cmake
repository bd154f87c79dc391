# The script language, replaying, offers and the interpreter of nests; paths relative to engine/schedule.
set(NW_SCHEDULE_SCRIPT
    script.cpp script_line.cpp script_step.cpp script_number.cpp script_parse.cpp script_knobs.cpp
    script_constraint.cpp script_choices.cpp
    replay.cpp replay_cache.cpp offers.cpp default_script.cpp templates.cpp template_filling.cpp template_names.cpp template_nest.cpp
    interpret_nest.cpp nest_memory.cpp race_watch.cpp scalar_program.cpp)
