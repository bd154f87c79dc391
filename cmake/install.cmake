# Programs, samples, and what a desktop wants: menu entry, icon, the type of .nest files.
include(GNUInstallDirs)
if(NW_SANITIZE)
    return() # there are no whole programs in that build
endif()
install(TARGETS nestw nestwright-builder nestwright-runner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY projects/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nestwright/projects)
if(NW_GUI)
    install(TARGETS nestwright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES resources/desktop/nestwright.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES resources/desktop/nestwright.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
    install(FILES resources/icons/nestwright.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()
